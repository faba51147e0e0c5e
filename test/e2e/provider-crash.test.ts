/** The crash matrix: whatever is killed whenever, the next run ends where an undisturbed one would have ended. */
import { afterAll, describe } from "vitest"
import { KILLS } from "../engine/crash.ts"
import { testCrashes } from "../engine/crashMatrix.ts"
import { hasPulumi, pulumiCli } from "../engine/PulumiCli.ts"
import { TestEngine } from "../engine/TestEngine.ts"
import { ScenarioRunner } from "../engine/ScenarioRunner.ts"

describe("killed at every request, on the test engine", () => {
  const engine = new TestEngine()
  const runner = new ScenarioRunner(engine.make)
  afterAll(async () => {
    engine.close()
    await runner.close()
  })

  // Snapshots and restores have scenarios of their own that kill where it matters most.
  testCrashes(runner, KILLS, (_, row) => (row.beside ?? row.besideBefore) === undefined)
})

describe.skipIf(!hasPulumi)("killed at every request, on the real pulumi CLI (skipped when it is not on PATH)", () => {
  const runner = new ScenarioRunner(pulumiCli)
  afterAll(() => runner.close())

  // What only the real engine can show (its lock, its pending operations, its language host) shows in one row. Each
  // single kill is the test engine's: a run of this one takes seconds.
  testCrashes(runner, "telling", (name) => name === "create")
})
