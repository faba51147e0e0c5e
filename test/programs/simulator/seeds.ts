/** Simulations of a few hours under many seeds, and of a day with planted bugs. */
import { assert, describe, it } from "vitest"
import type { Mutant } from "./Mutants.ts"
import { find } from "./PlantedBugs.ts"
import { simulate } from "./Simulation.ts"

/** Seeds of one test, so that one sees how far it is. */
const BATCH = 25
const HOURS = 3

/** A number and its successors. */
export const numbers = (first: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => first + index)

interface Seeds {
  readonly first: number
  readonly batches: number
  /** Seeds of each test. */
  readonly batch?: number
}

export const testSeeds = ({ batch: size = BATCH, batches, first }: Seeds) =>
  describe("a simulation of a few hours", () => {
    it.each(numbers(0, batches).map((batch) => first + size * batch))(
      "breaks nothing, seeds %i and on",
      { timeout: 240_000 },
      (seed) => {
        const reports = numbers(seed, size).map((each) => simulate({ seed: each, hours: HOURS }))
        assert.isTrue(reports.every(({ answers, looks }) => answers > 0 && looks > 0))
      }
    )
  })

/** Seeds within which each planted bug must be found. */
export const PLANTED_SEEDS = 60
const PLANTED_HOURS = 24

export const testPlanted = (mutants: ReadonlyArray<Mutant>) =>
  it.each(mutants)("within some seeds: $name", { timeout: 240_000 }, (mutant) => {
    assert.isDefined(find(mutant, PLANTED_SEEDS, PLANTED_HOURS))
  })
