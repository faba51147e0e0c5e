/** Measures one client in a process of its own: `measure.ts CLIENT ORIGIN VENDORS CONCURRENCY CALLS`. Prints JSON. */
import { CLIENTS } from "./clients.ts"

const [name = "", origin = "", vendors = "", concurrency = "16", calls = "5000"] = process.argv.slice(2)

/** Calls until V8 has optimized the hot code. A count rather than a time, so that load does not change it. */
const WARM_UP = 5_000
const IDS = 1000

const began = performance.now()
const get = await CLIENTS[name]!.make(origin, vendors, Number(concurrency))
const answer = await get(1)
const first = performance.now() - began
if (typeof answer !== "object" || answer === null) throw new Error(`${name} returned ${String(answer)}`)

const run = async (count: number): Promise<void> => {
  let left = count
  const loop = async () => {
    while (left-- > 0) await get(1 + left % IDS)
  }
  await Promise.all(Array.from({ length: Number(concurrency) }, loop))
}

await run(WARM_UP)
const before = process.cpuUsage()
await run(Number(calls))
const { system, user } = process.cpuUsage(before)
process.stdout.write(`${JSON.stringify({ cpu: (user + system) / Number(calls), first })}\n`)
process.exit(0)
