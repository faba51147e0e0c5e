/** The simulator finds bugs: those that are planted in layers around sound parts of the service, one at a time. */
import { assert, describe, it } from "vitest"
import { GROSS, MACHINES, MONEY } from "./Mutants.ts"
import { find } from "./PlantedBugs.ts"
import { Failed } from "./Report.ts"
import { testPlanted } from "./seeds.ts"
import { simulate } from "./Simulation.ts"

const HOURS = 24

describe("a planted bug is found", () => {
  testPlanted([...GROSS, ...MONEY, ...MACHINES])

  it("and its report has the seed, the step, the invariant, the last events, and the command that repeats it", () => {
    const { plant } = GROSS[0]!
    const { invariant, seed } = find(GROSS[0]!, 40, HOURS)!
    const run = () => simulate({ seed, hours: HOURS, plant })
    assert.throws(run, Failed)
    assert.throws(
      run,
      new RegExp(
        `^seed ${seed} broke "${invariant}" in step \\d+: .+\\nthe last events:\\n(  step \\d+, day \\d+ .+\\n)+`
          + `again: npm run simulate -- --seed ${seed} --hours ${HOURS}$`
      )
    )
  })
})
