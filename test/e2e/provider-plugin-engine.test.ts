/** Every scenario of the provider with the plugin, on the test engine: no `pulumi` needed. */
import { afterAll, describe, expect, it } from "vitest"
import { onPlugin, PLUGIN_SCENARIOS } from "../engine/OnPlugin.ts"
import { PATIENT } from "../engine/scenarios/faults.ts"
import { TestEngine } from "../engine/TestEngine.ts"
import { ScenarioRunner } from "../engine/ScenarioRunner.ts"

/** ms; a scenario is some ten runs of an engine at 1 s, and it may have to wait until others have ended. */
const SCENARIO_TIMEOUT = 900_000

describe("the plugin on the test engine", () => {
  const engine = new TestEngine()
  const runner = new ScenarioRunner(onPlugin(engine.make))
  afterAll(async () => {
    engine.close()
    await runner.close()
  })

  it.concurrent.each(Object.entries(PATIENT))("%s", async (_, scenario) => {
    await expect(runner.playBeside(scenario)).resolves.toBeUndefined()
  }, SCENARIO_TIMEOUT)

  it.concurrent.each(Object.entries(PLUGIN_SCENARIOS))("%s", async (_, scenario) => {
    await expect(runner.play(scenario)).resolves.toBeUndefined()
  }, SCENARIO_TIMEOUT)
})
