/** Every Pulumi example has a scenario, which `examples.ci.test.ts` plays on the real engine. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { ROOT } from "../support/consumer.ts"
import { EXAMPLES, readExample } from "../engine/scenarios/examples.ts"

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
