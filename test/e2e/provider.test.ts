/** Every scenario of the provider on the test engine: the real program, SDK and dynamic host, no `pulumi` needed. */
import { availableParallelism } from "node:os"
import { describe, expect, it } from "vitest"
import { Gate } from "../support/engine/Gate.ts"
import { SCENARIOS } from "../support/engine/scenarios.ts"
import { Stage } from "../support/engine/Stage.ts"
import { testEngine } from "../support/engine/TestEngine.ts"

/** ms; a scenario is some ten runs of an engine at 2 s, and it may have to wait until others have ended. */
const SCENARIO_TIMEOUT = 900_000

const gate = new Gate(availableParallelism())

describe("the provider on the test engine", () => {
  it.concurrent.each(Object.entries(SCENARIOS))("%s", async (_, scenario) => {
    await expect(gate.pass(() => Stage.play(testEngine, scenario))).resolves.toBeUndefined()
  }, SCENARIO_TIMEOUT)
})
