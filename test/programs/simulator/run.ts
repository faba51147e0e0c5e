/**
 * The command: `npm run simulate -- --seed 7 --hours 720`, or `--seeds 1..500`; `--events` prints all events,
 * `--planted` searches for planted bugs instead.
 */
import { parseArgs } from "node:util"
import { FINE, GROSS, MACHINES, MONEY } from "./Mutants.ts"
import { find } from "./PlantedBugs.ts"
import { Failed } from "./Report.ts"
import { simulate } from "./Simulation.ts"

const USAGE =
  "usage: npm run simulate -- --seed <number> | --seeds <from>..<to> | --planted [--hours <hours>] [--events]"
/** Seeds that a planted bug has to be found in. */
const PLANTED_SEEDS = 200

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string" },
    hours: { type: "string", default: "72" },
    events: { type: "boolean", default: false },
    planted: { type: "boolean", default: false }
  }
})
const hours = Number(values.hours)

/** Returns how many seeds failed. */
const seeds = (from: number, to: number): number => {
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
  const sums = `${steps} steps, ${Math.round(simulated)} hours, ${Math.round(seconds)} s, ${rate} steps/s`
  console.log(`${to - from + 1} seeds, ${failed} failed, ${sums}`)
  return failed
}

/** Returns how many planted bugs were not found. */
const planted = (): number => {
  let missed = 0
  for (const mutant of [...GROSS, ...MONEY, ...MACHINES, ...FINE]) {
    const found = find(mutant, PLANTED_SEEDS, hours)
    if (found === undefined) missed++
    console.log(`${mutant.name}: ${found === undefined ? "not found" : `seed ${found.seed}, "${found.invariant}"`}`)
  }
  return missed
}

const [from, to] = (values.seeds ?? `${values.seed}..${values.seed}`).split("..").map(Number) as [number, number]
if (![from, to, hours].every((number) => Number.isFinite(number) && number > 0) || to < from) {
  console.error(USAGE)
  process.exitCode = 2
} else {
  process.exitCode = (values.planted ? planted() : seeds(from, to)) === 0 ? 0 : 1
}
