/** The whole service under seeded faults: no invariant breaks, and everything completes (README.md). */
import { assert, describe, it } from "vitest"
import { testSeeds } from "./seeds.ts"
import { simulate } from "./Simulation.ts"

// `simulator.ci.test.ts` has 12 others.
testSeeds({ first: 1, batches: 1, batch: 4 })

describe("a simulation", () => {
  it("is the same when its seed is, and another when it is not", { timeout: 120_000 }, () => {
    const events = { first: new Array<string>(), again: new Array<string>() }
    const first = simulate({ seed: 7, hours: 6, onEvent: (line) => void events.first.push(line) })
    const again = simulate({ seed: 7, hours: 6, onEvent: (line) => void events.again.push(line) })
    assert.deepStrictEqual(events.again, events.first)
    assert.deepStrictEqual(again, first)
    assert.notStrictEqual(simulate({ seed: 8, hours: 6 }).trace, first.trace)
  })

  it("restores the platform: its timers, its clock, its random numbers", () => {
    const parts = () => [setImmediate, clearImmediate, setTimeout, clearTimeout, Date.now, performance.now]
    const before = parts()
    simulate({ seed: 1, hours: 1 })
    assert.deepStrictEqual(parts(), before)
  })
})
