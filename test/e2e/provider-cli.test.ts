/** The same scenarios on the real CLI. Where the two engines differ, this one is right. */
import { describe, expect, it } from "vitest"
import { hasPulumi, pulumiCli } from "../support/engine/PulumiCli.ts"
import { SCENARIOS } from "../support/engine/scenarios.ts"
import { Stage } from "../support/engine/Stage.ts"

describe.skipIf(!hasPulumi)("the provider on the real pulumi CLI (skipped when it is not on PATH)", () => {
  it.each(Object.entries(SCENARIOS))("%s", async (_, scenario) => {
    await expect(Stage.play(pulumiCli, scenario)).resolves.toBeUndefined()
  })
})
