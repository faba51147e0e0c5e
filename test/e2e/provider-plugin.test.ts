/** The same scenarios with the plugin, on the real CLI. */
import { afterAll, describe, expect, it } from "vitest"
import { onPlugin, PLUGIN_SCENARIOS } from "../support/engine/OnPlugin.ts"
import { hasPulumi, pulumiCli } from "../support/engine/PulumiCli.ts"
import { Theatre } from "../support/engine/Theatre.ts"

/** ms; a scenario is some ten runs of an engine at 2 s, and it may have to wait until others have ended. */
const SCENARIO_TIMEOUT = 900_000

describe.skipIf(!hasPulumi)("the plugin on the real pulumi CLI (skipped when it is not on PATH)", () => {
  const theatre = new Theatre(onPlugin(pulumiCli))
  afterAll(() => theatre.close())

  it.concurrent.each(Object.entries(PLUGIN_SCENARIOS))("%s", async (_, scenario) => {
    await expect(theatre.play(scenario)).resolves.toBeUndefined()
  }, SCENARIO_TIMEOUT)
})
