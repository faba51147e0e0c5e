/** The examples on the real `pulumi`. */
import { rmSync } from "node:fs"
import { assert, describe, it, onTestFinished } from "vitest"
import { playExample } from "../engine/Automation.ts"
import { hasPulumi } from "../engine/PulumiCli.ts"
import { dynamic, testScenariosOnPulumi } from "../engine/scenarioTests.ts"
import { EXAMPLES } from "../engine/scenarios/examples.ts"
import { makeConsumer } from "../support/consumer.ts"
import { copyExample, runExampleTests } from "../support/examples.ts"

/** ms; a pulumi command takes some 4 s, on a machine that does other things as well. */
const TIMEOUT = 300_000

const { quickstart: _, ...others } = EXAMPLES
// `quickstart.ci.test.ts` plays that program as people do.
testScenariosOnPulumi("the examples", dynamic, others)

describe.skipIf(!hasPulumi)("the examples of the Automation API (skipped without pulumi)", () => {
  it("automation-api: up twice, destroy; finds the instance in no stack", async () => {
    await playExample("automation-api", async (run) => {
      const first = await run("up")
      assert.include(first, "web: buying VPS S charges 4.99 EUR now")
      assert.match(first, /The instance is at [\d.]+\.\nEvery instance you pay for in account \d+ is in test\./)
      assert.match(await run("up"), /5 unchanged/)
      assert.match(await run("destroy"), /1 instance in account \d+ is not in test:/)
    })
  }, TIMEOUT)

  it("testing-a-pulumi-program: its tests pass", () => {
    const folder = makeConsumer()
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    copyExample(folder, "testing-a-pulumi-program")
    const ran = runExampleTests(folder, "testing-a-pulumi-program", "emulator.test.ts")
    assert.deepStrictEqual(ran, { status: 0, passed: 2, skipped: 0, failed: undefined })
  }, TIMEOUT)
})
