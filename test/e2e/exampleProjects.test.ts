/** The examples are whole projects: each is copied out of the package, type-checked, and run as its first lines say. */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { makeConsumer, ROOT } from "../support/consumer.ts"
import { copyExample, exampleNames, runExampleTests } from "../support/examples.ts"

const folder = makeConsumer()
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
    // Every project needs a package of ours, at least for its plugin.
    assert.isTrue(Object.keys(dependencies).some((name) => /^@?pulumi-vps/.test(name)))
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
  // The policies need a package more: `providerPolicies.long.test.ts` runs them.
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

describe("the tests in the examples", () => {
  it("testing-a-script: what a script buys, and what it does when things go wrong", () => {
    assert.deepStrictEqual(runExampleTests(folder, "testing-a-script"), {
      status: 0,
      passed: 7,
      skipped: 0,
      failed: undefined
    })
  })
  it("testing-a-pulumi-program: the resources of a program", () => {
    const ran = runExampleTests(folder, "testing-a-pulumi-program", "unit.test.ts")
    assert.deepStrictEqual(ran, { status: 0, passed: 2, skipped: 0, failed: undefined })
  })
})
