/** Every scenario of the provider on the test engine: the real program, SDK and dynamic host, no `pulumi` needed. */
import { describe, expect, it } from "vitest"
import { SCENARIOS } from "../support/engine/scenarios.ts"
import { Stage } from "../support/engine/Stage.ts"
import { testEngine } from "../support/engine/TestEngine.ts"

describe("the provider on the test engine", () => {
  it.each(Object.entries(SCENARIOS))("%s", async (_, scenario) => {
    await expect(Stage.play(testEngine, scenario)).resolves.toBeUndefined()
  })
})
