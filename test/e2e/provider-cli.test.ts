/** The same scenarios on the real CLI. Where the two engines differ, this one is right. */
import { afterAll, describe, expect, it } from "vitest"
import { hasPulumi, pulumiCli } from "../support/engine/PulumiCli.ts"
import { SCENARIOS } from "../support/engine/scenarios.ts"
import { Theatre } from "../support/engine/Theatre.ts"

/** ms; a scenario is some ten runs of an engine at 2 s, and it may have to wait until others have ended. */
const SCENARIO_TIMEOUT = 900_000

describe.skipIf(!hasPulumi)("the provider on the real pulumi CLI (skipped when it is not on PATH)", () => {
  const theatre = new Theatre(pulumiCli)
  afterAll(() => theatre.close())

  it.concurrent.each(Object.entries(SCENARIOS))("%s", async (_, scenario) => {
    await expect(theatre.play(scenario)).resolves.toBeUndefined()
  }, SCENARIO_TIMEOUT)
})
