/** The crash matrix with the plugin: whatever is killed whenever, the next run ends where an undisturbed one would. */
import { afterAll, describe } from "vitest"
import { KILLS } from "../engine/crash.ts"
import { testCrashes } from "../engine/crashMatrix.ts"
import { onPlugin } from "../engine/OnPlugin.ts"
import { hasPulumi, pulumiCli } from "../engine/PulumiCli.ts"
import { TestEngine } from "../engine/TestEngine.ts"
import { ScenarioRunner } from "../engine/ScenarioRunner.ts"

/**
 * The lifecycles are those of the dynamic provider, whose rows for servers are always played; here it is the host that
 * can go wrong, in a create, an update of many steps, and a delete.
 */
const CHOSEN = new Set(["create", "adopt a server", "everything at once", "destroy with stop"])

describe("the plugin killed at every request, on the test engine", () => {
  const engine = new TestEngine()
  const runner = new ScenarioRunner(onPlugin(engine.make))
  afterAll(async () => {
    engine.close()
    await runner.close()
  })

  testCrashes(runner, KILLS, (name) => CHOSEN.has(name))
})

describe.skipIf(!hasPulumi)("the plugin killed at every request, on the real pulumi CLI (skipped without it)", () => {
  const runner = new ScenarioRunner(onPlugin(pulumiCli))
  afterAll(() => runner.close())

  // Each single kill is the test engine's: a run of this one takes seconds.
  testCrashes(runner, "telling", (name) => CHOSEN.has(name))
})
