/**
 * Scenarios with the plugin on the real CLI: those in which the engine itself plays a part. All of them play on the
 * test engine, in `provider-plugin-engine.test.ts`.
 */
import { afterAll, describe, expect, it } from "vitest"
import { onPlugin, PLUGIN_SCENARIOS } from "../engine/OnPlugin.ts"
import { hasPulumi, pulumiCli } from "../engine/PulumiCli.ts"
import { ScenarioRunner } from "../engine/ScenarioRunner.ts"

/** ms; a scenario is some ten runs of an engine at 2 s, and it may have to wait until others have ended. */
const SCENARIO_TIMEOUT = 900_000

const PLAYED = [
  "preview shows the charge, up buys it once, a second up changes nothing",
  "a changed hostname and PTR are set in place, never by replacement",
  "refresh keeps secrets secret and leaves nothing to do",
  "destroy fails by default and says what goes on; VPS_DELETION_POLICY=stop powers off; up takes it back",
  "a new generation is refused while the policy is fail; with stop it buys and lets the old one go",
  "`up --replace` of a server just bought leads to the same server, which is not touched",
  "the engine alone killed: its orphaned provider does nothing more, and the next up goes on",
  "another account's key: refresh fails, says whose server it is, and the state keeps it",
  "a machine slower than the timeout: its id is saved, and the next up waits on",
  "everything at once is one power cycle; the preview says it all and would replace nothing",
  "a component makes the server, its PTR record and a first snapshot; functions and costs are outputs",
  "a state that 6d4937a recorded upgrades with no change, and again after a refresh"
]

const scenarios = PLAYED.map((name) => [name, PLUGIN_SCENARIOS[name]!] as const)

describe.skipIf(!hasPulumi)("the plugin on the real pulumi CLI (skipped when it is not on PATH)", () => {
  const runner = new ScenarioRunner(onPlugin(pulumiCli))
  afterAll(() => runner.close())

  it.concurrent.each(scenarios)("%s", async (_, scenario) => {
    await expect(runner.play(scenario)).resolves.toBeUndefined()
  }, SCENARIO_TIMEOUT)
})
