/** A program that drives the real `pulumi` by the Automation API: one process makes several updates. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { playAutomation } from "../engine/Automation.ts"
import { hasPulumi } from "../engine/PulumiCli.ts"
import { makeConsumer } from "../support/consumer.ts"

/** ms; two updates of the real engine, on a machine that does other things as well. */
const TIMEOUT = 300_000

/** Two updates of three instances for 4.99 EUR each: prints the outcome of each, and the purchases until then. */
const script = (library: string, settings: string): string => `
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Vps } from "@pulumi-vps/sdk"
import * as vps from "${library}"

// The engine loads the dynamic provider from the current folder.
process.chdir(import.meta.dirname)
const stackName = process.argv.at(-1)
const program = async () => {
  for (const name of ["a", "b", "c"]) new vps.Instance(name, { serviceId: 1 })
}
const plugin = join(dirname(fileURLToPath(import.meta.resolve("pulumi-vps/package.json"))), "plugin")
const plugins = { providers: [{ name: "vps", path: plugin }] }
const stack = await LocalWorkspace.createOrSelectStack({ stackName, projectName: "limited", program }, ${settings})
await stack.setConfig("vps:maxChargePerUpdate", { value: "12" })
const bought = async () => (await new Vps().instances.list()).length
for (let update = 1; update <= 2; update++) {
  const outcome = await stack.up().then(() => "done", ({ message }) => message)
  console.log(JSON.stringify({ outcome, bought: await bought() }))
}
`

const HOSTS: ReadonlyArray<readonly [string, string, string]> = [
  ["the dynamic provider", "pulumi-vps/provider", "{}"],
  ["the plugin", "pulumi-vps/pulumi", `{ projectSettings: { name: "limited", runtime: "nodejs", plugins } }`]
]

const REFUSED = "the 3 purchases planned so far cost 14.97 EUR, which exceeds vps:maxChargePerUpdate"

describe.skipIf(!hasPulumi)(`updates by the Automation API${hasPulumi ? "" : " (needs pulumi)"}`, () => {
  let folder = ""
  beforeAll(() => {
    folder = makeConsumer()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(HOSTS)("of %s have the limit of purchases each", { timeout: TIMEOUT }, async (_, library, settings) => {
    const file = join(folder, "limited.mjs")
    writeFileSync(file, script(library, settings))
    await playAutomation([process.execPath, file], async (run) => {
      const [first, second] = (await run("up")).trim().split("\n").map((line) => JSON.parse(line))
      assert.include(first.outcome, REFUSED)
      assert.isAtMost(first.bought, 2)
      assert.deepStrictEqual(second, { outcome: "done", bought: 3 })
    })
  })
})
