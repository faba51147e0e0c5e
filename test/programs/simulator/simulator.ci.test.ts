/** More seeds and longer times than `npm test` has time for. */
import { assert, describe, it } from "vitest"
import { numbers, testSeeds } from "./seeds.ts"
import { simulate } from "./Simulation.ts"

testSeeds({ first: 7, batches: 1, batch: 12 })

const LONG = { seeds: 3, hours: 48 }

describe("a simulation", () => {
  it("of two days breaks nothing", { timeout: 240_000 }, () => {
    const reports = numbers(2_004, LONG.seeds).map((seed) => simulate({ seed, hours: LONG.hours }))
    assert.isTrue(reports.every(({ hours }) => hours >= LONG.hours))
    // The simulations did some work.
    for (
      const kind of ["killed", "stopped", "stalled", "jumped", "orders", "outages", "restored", "rebooted"] as const
    ) {
      assert.isAbove(reports.reduce((sum, report) => sum + report[kind], 0), 0)
    }
  })
})
