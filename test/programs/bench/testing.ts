/**
 * `npm run bench -- testing`: how long a test waits for the emulator of `@pulumi-vps/testing`, built as published.
 *
 *   npm run bench -- testing [--rounds 9]
 *
 * Each round is a process of its own, as each test file is. The least of the rounds is judged: it is the one that the
 * machine disturbed least.
 */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "9" }, once: { type: "boolean", default: false } }
})

/** The target, in milliseconds from the call of `startEmulator`, after the import. */
const MOST_START_MILLIS = 100

const STEPS = ["import", "start", "create and wait", "reset", "stop", "second start"] as const

/** Milliseconds of each step, in this process. */
const measure = async (): Promise<Array<number>> => {
  const times: Array<number> = []
  const timed = async <A>(work: () => Promise<A>): Promise<A> => {
    const began = performance.now()
    const result = await work()
    times.push(performance.now() - began)
    return result
  }
  const { startEmulator } = await timed(() => import("@pulumi-vps/testing"))
  const emulator = await timed(() => startEmulator({ seed: { deploy: { mode: "instant" } } }))
  const vps = emulator.client()
  await timed(() => vps.instances.createAndWait({ service_id: 1 }))
  await timed(() => emulator.reset())
  await timed(() => emulator.stop())
  const second = await timed(() => startEmulator())
  await second.stop()
  return times
}

const round = (): Array<number> => {
  const args = [fileURLToPath(import.meta.url), "--once"]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Array<number>
}

if (values.once) process.stdout.write(JSON.stringify(await measure()))
else {
  const rounds = Array.from({ length: Number(values.rounds) }, round)
  for (const [index, step] of STEPS.entries()) {
    const sorted = rounds.map((times) => times[index]!).toSorted((a, b) => a - b)
    const [least, middle] = [sorted[0]!, sorted[Math.floor(sorted.length / 2)]!]
    console.log(
      `${step.padEnd(16)} least ${least.toFixed(0).padStart(4)} ms  median ${middle.toFixed(0).padStart(4)} ms`
    )
    if (step !== "start") continue
    const verdict = least < MOST_START_MILLIS ? "met" : "missed"
    console.log(`${"".padEnd(16)} target: under ${MOST_START_MILLIS} ms after the import: ${verdict}`)
  }
}
