/** The examples are whole projects: each is copied out of the package, type-checked, and run as its first lines say. */
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { makeConsumer, ROOT } from "../support/consumer.ts"
import { copyExample, exampleNames } from "../support/examples.ts"
import { hasPulumi } from "../engine/PulumiCli.ts"

/** ms; a pulumi command takes some 4 s, and there are six of them. */
const PULUMI_TIMEOUT = 300_000

const { folder } = makeConsumer()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const projects = exampleNames(folder).map((name) => {
  const path = copyExample(folder, name)
  const files = readdirSync(path)
  const sources = files.filter((file) => /\.m?ts$/.test(file))
  const code = sources.map((file) => readFileSync(join(path, file), "utf8")).join("")
  const { dependencies, type } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>
    readonly type?: string
  }
  const uses = [...code.matchAll(/ from "((?:@[\w-]+\/)?[\w-]+)[^"]*"/g)].map(([, name]) => name!)
  return { name, files, dependencies, type, uses: uses.filter((name) => name !== "node") }
})

describe.each(projects)("examples/$name", ({ dependencies, files, type, uses }) => {
  it("installs the packages that it imports", () => {
    // Every project needs the package, at least for its plugin.
    assert.include(Object.keys(dependencies), "pulumi-vps")
    assert.deepStrictEqual(uses.filter((used) => !(used in dependencies)), [])
    assert.strictEqual(files.includes("index.ts") ? type : "module", "module")
  })
})

it("all examples are Pulumi projects, except for scripts and policies", () => {
  const others = projects.filter(({ files }) => !files.includes("Pulumi.yaml")).map(({ name }) => name)
  const scripts = ["automation-api", "automation-plugin", "automation-script", "java", "testing-a-script"]
  assert.deepStrictEqual(others.toSorted(), [...scripts, "policies"].toSorted())
})

it("the examples in TypeScript compile", () => {
  const tsc = join(ROOT, "node_modules/@typescript/native/bin/tsc")
  const flags = "--noEmit --strict --skipLibCheck --target es2024 --lib es2024,esnext,dom --types node"
    + " --module nodenext --allowImportingTsExtensions"
  // The policies need a package more: `providerPolicies.ci.test.ts` runs them.
  const programs = projects.flatMap(({ files, name }) =>
    files.filter((file) => file.endsWith(".ts")).map((file) => join(name, file))
  )
  assert.include(programs, "fleet/index.ts")
  const { stdout } = spawnSync(process.execPath, [tsc, ...flags.split(" "), ...programs], {
    cwd: folder,
    encoding: "utf8"
  })
  assert.strictEqual(stdout, "")
})

/** Runs test files with Node's runner, with nothing in its environment but where programs are. */
const runTests = (project: string, ...files: ReadonlyArray<string>) => {
  // Pulumi keeps things in its user's home.
  const home = join(folder, "home")
  mkdirSync(home, { recursive: true })
  const path = `${dirname(process.execPath)}:${process.env["PATH"]}`
  const env = { PATH: path, HOME: home, NO_COLOR: "1", NODE_NO_WARNINGS: "1" }
  const args = ["--test", "--test-reporter=tap", ...files]
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: join(folder, project), env, encoding: "utf8" })
  const count = (word: string) => Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(stdout)?.[1])
  return {
    status,
    passed: count("pass"),
    skipped: count("skipped"),
    failed: /^ *not ok[^]*?\n *\.\.\./m.exec(stdout)?.[0]
  }
}

describe("the tests in the examples", () => {
  it("testing-a-script: what a script buys, and what it does when things go wrong", () => {
    assert.deepStrictEqual(runTests("testing-a-script"), { status: 0, passed: 7, skipped: 0, failed: undefined })
  })
  it("testing-a-pulumi-program: the resources of a program", () => {
    const ran = runTests("testing-a-pulumi-program", "unit.test.ts")
    assert.deepStrictEqual(ran, { status: 0, passed: 2, skipped: 0, failed: undefined })
  })
  it.skipIf(!hasPulumi)(
    "testing-a-pulumi-program: what it is charged under the real pulumi (skipped when it is not on PATH)",
    () => {
      const ran = runTests("testing-a-pulumi-program", "emulator.test.ts")
      assert.deepStrictEqual(ran, { status: 0, passed: 2, skipped: 0, failed: undefined })
    },
    PULUMI_TIMEOUT
  )
})
