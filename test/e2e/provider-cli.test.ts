/**
 * Scenarios on the real CLI: those in which the engine itself plays a part. `provider-engine.test.ts` holds the test
 * engine against the real one call by call, so the others need not be played twice.
 */
import { afterAll, describe, expect, it } from "vitest"
import { hasPulumi, pulumiCli } from "../engine/PulumiCli.ts"
import { SCENARIOS } from "../engine/scenarios.ts"
import { ScenarioRunner } from "../engine/ScenarioRunner.ts"

/** ms; a scenario is some ten runs of an engine at 2 s, and it may have to wait until others have ended. */
const SCENARIO_TIMEOUT = 900_000

const PLAYED = [
  "preview shows the charge, up buys it once, a second up changes nothing",
  "destroy fails by default and says what goes on; VPS_DELETION_POLICY=stop powers off; up takes it back",
  "a new generation is refused while the policy is fail; with stop it buys and lets the old one go",
  "`up --replace` of a server just bought leads to the same server, which is not touched",
  "the key from the configuration: plain text is refused, a secret works and stays one",
  "the engine alone killed: its orphaned provider does nothing more, and the next up goes on",
  "402 in the middle of ten creates: what was bought is in the state, the rest is named; the next up buys it",
  "a component makes the server, its PTR record and a first snapshot; functions and costs are outputs",
  "vanished: proved by the account, taken out of the state, and never bought again silently",
  "no change of any input shows a replacement in the preview, but that of generation",
  "a state that 6d4937a recorded upgrades with no change, and again after a refresh"
]

describe.skipIf(!hasPulumi)("the provider on the real pulumi CLI (skipped when it is not on PATH)", () => {
  const runner = new ScenarioRunner(pulumiCli)
  afterAll(() => runner.close())

  it.concurrent.each(PLAYED)("%s", async (name) => {
    const scenario = SCENARIOS[name]
    if (scenario === undefined) throw new Error("there is no such scenario")
    await expect(runner.play(scenario)).resolves.toBeUndefined()
  }, SCENARIO_TIMEOUT)
})
