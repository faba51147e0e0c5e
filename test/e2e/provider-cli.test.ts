/** The same scenarios on the real CLI. Where the two engines differ, this one is right. */
import { availableParallelism } from "node:os"
import { describe, expect, it } from "vitest"
import { Gate } from "../support/engine/Gate.ts"
import { hasPulumi, pulumiCli } from "../support/engine/PulumiCli.ts"
import { SCENARIOS } from "../support/engine/scenarios.ts"
import { Stage } from "../support/engine/Stage.ts"

/** ms; a scenario is some ten runs of an engine at 2 s, and it may have to wait until others have ended. */
const SCENARIO_TIMEOUT = 900_000

const gate = new Gate(availableParallelism())

describe.skipIf(!hasPulumi)("the provider on the real pulumi CLI (skipped when it is not on PATH)", () => {
  it.concurrent.each(Object.entries(SCENARIOS))("%s", async (_, scenario) => {
    await expect(gate.pass(() => Stage.play(pulumiCli, scenario))).resolves.toBeUndefined()
  }, SCENARIO_TIMEOUT)
})
