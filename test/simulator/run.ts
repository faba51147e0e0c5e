/** The command: `npm run simulate -- --seed 7 --hours 720`, or `--seeds 1..500`; `--events` tells all that happens. */
import { parseArgs } from "node:util"
import { Failed, simulate } from "./Simulation.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string" },
    hours: { type: "string", default: "72" },
    events: { type: "boolean", default: false }
  }
})

const [from, to] = (values.seeds ?? `${values.seed ?? 1}..${values.seed ?? 1}`).split("..").map(Number) as [number, number]
const hours = Number(values.hours)
if (![from, to, hours].every((number) => Number.isFinite(number)) || to < from) {
  console.error("usage: npm run simulate -- --seed <number> | --seeds <from>..<to> [--hours <hours>] [--events]")
  process.exit(2)
}

const onEvent = values.events ? (line: string) => console.log(line) : undefined
let [failed, steps, simulated] = [0, 0, 0]
const began = performance.now()
for (let seed = from; seed <= to; seed++) {
  try {
    const report = simulate({ seed, hours, onEvent })
    steps += report.steps
    simulated += report.hours
    console.log(JSON.stringify(report))
  } catch (cause) {
    if (!(cause instanceof Failed)) throw cause
    failed++
    console.error(cause.message)
  }
}
const seconds = (performance.now() - began) / 1_000
const rate = Math.round(steps / seconds)
console.log(
  `${to - from + 1} seeds, ${failed} failed, ${steps} steps, ${Math.round(simulated)} hours, ${
    seconds.toFixed(1)
  } s, ${rate} steps/s`
)
process.exitCode = failed === 0 ? 0 : 1
