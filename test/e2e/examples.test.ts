/** Runs every Pulumi example on the test engine; `examples.ci.test.ts` runs them on the real one. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { ROOT } from "../support/consumer.ts"
import { EXAMPLES, readExample } from "../engine/scenarios/examples.ts"
import { TestEngine } from "../engine/TestEngine.ts"
import { ScenarioRunner } from "../engine/ScenarioRunner.ts"

/** ms; ten servers on an engine that starts three processes a run, on a machine that does other things as well. */
const EXAMPLE_TIMEOUT = 300_000

/** A folder with a test of its own is run by that. */
const FOLDERS = readdirSync(join(ROOT, "examples"), { withFileTypes: true }).filter((one) => one.isDirectory())
const NAMES = FOLDERS.map(({ name }) => name).filter((name) => {
  const files = readdirSync(join(ROOT, "examples", name))
  return files.includes("index.ts") && !files.some((file) => file.endsWith(".test.ts"))
    // The plugin's are run by providerPluginExamples.ci.test.ts.
    && !readFileSync(join(ROOT, "examples", name, "index.ts"), "utf8").includes("pulumi-vps/pulumi")
})

describe("the examples", () => {
  it("are all here", () => {
    const programs = NAMES.filter((name) => readExample(name).includes("pulumi-vps/provider"))
    assert.deepStrictEqual(programs.toSorted(), [...Object.keys(EXAMPLES), "automation-api"].toSorted())
  })
  it.each(NAMES)("%s says what it shows", (name) => {
    assert.match(readExample(name), /^\/\*\*/)
  })
})

describe("the examples on the test engine", () => {
  const engine = new TestEngine()
  const runner = new ScenarioRunner(engine.make)
  afterAll(async () => {
    engine.close()
    await runner.close()
  })
  it.each(Object.entries(EXAMPLES))("%s", async (_, show) => {
    assert.isUndefined(await runner.play(show))
  }, EXAMPLE_TIMEOUT)
})
