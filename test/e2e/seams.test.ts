/** Users run bundles: each entry has a test that runs it packed, and no process has a module's state twice. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { readManifest } from "../support/consumer.ts"
import { copies, hasState, PROCESSES, readBuilt } from "../support/seams.ts"
import { ROOT } from "../tidy/Source.ts"

const CONSUMERS = "test/e2e/consumer"
const AUTOMATION = "test/e2e/providerAutomation.ci.test.ts"

/** Each entry and command of the package: the program that runs it, and the words there that do. */
const RUNS: ReadonlyArray<readonly [entry: string, file: string, words: string]> = [
  [". (import)", "test/e2e/bundles.test.ts", "import { Vps, VpsError } from \"pulumi-vps\""],
  [". (require)", "test/e2e/bundles.test.ts", "require(\"pulumi-vps\")"],
  ["./sdk (import)", "test/e2e/packaging.test.ts", "can import $specifier"],
  ["./sdk (require)", "test/e2e/packaging.test.ts", "can require $specifier"],
  ["./fetch (import)", "test/e2e/bundles.test.ts", "from \"pulumi-vps/fetch\""],
  ["./effect (import)", `${CONSUMERS}/with-effect.ts`, "from \"pulumi-vps/effect\""],
  ["./contract (import)", "test/e2e/packaging.test.ts", "can import $specifier"],
  ["./testing (import)", `${CONSUMERS}/with-node.ts`, "from \"pulumi-vps/testing\""],
  ["./testing (require)", `${CONSUMERS}/with-node.cjs`, "require(\"pulumi-vps/testing\")"],
  ["./testing/effect (import)", `${CONSUMERS}/with-effect.ts`, "from \"pulumi-vps/testing/effect\""],
  ["./provider (import)", AUTOMATION, "\"pulumi-vps/provider\""],
  ["./provider (require)", "test/e2e/packaging.test.ts", "can require $specifier"],
  ["./pulumi (import)", AUTOMATION, "\"pulumi-vps/pulumi\""],
  ["./pulumi (require)", "test/e2e/packaging.test.ts", "can require $specifier"],
  ["./provider/runtime (import)", AUTOMATION, "the dynamic provider"],
  ["vps", "test/e2e/packaging.test.ts", "npx %s works in the repository"],
  ["vps-service", "test/e2e/packaging.test.ts", "can run the service"],
  ["pulumi-resource-vps", "test/engine/host/PluginProcess.ts", "plugin/pulumi-resource-vps"],
  ["terraform-provider-vps", "test/engine/terraform/engine.ts", "terraform-provider-vps"],
  ["the panel", "test/e2e/panelPages.test.ts", "the built package"]
]

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8")

describe("the packed artifacts", () => {
  const { bin, exports } = readManifest()
  it("are each run by a test: entries in both module systems, commands, and the panel", () => {
    const entries = Object.entries(exports).flatMap(([name, target]) =>
      typeof target === "string" ? [] : [`${name} (import)`, ...("require" in target ? [`${name} (require)`] : [])]
    )
    assert.deepStrictEqual(
      RUNS.map(([entry]) => entry).toSorted(),
      [...entries, ...Object.keys(bin), "terraform-provider-vps", "the panel"].toSorted()
    )
  })
  it.each(RUNS)("%s in %s", (_, file, words) => {
    assert.include(read(file), words)
  })
})

/** Packages in several bundles of a process: their values do not cross from one bundle to another. */
const PACKAGES = new Set(["effect"])

describe("a process", () => {
  const built = readBuilt()
  const packageOf = (path: string) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]
  it.each(Object.entries(PROCESSES))("of %s has no module's state twice", (_, loads) => {
    const twice = [...copies(built, loads)]
    const own = twice.filter(([path]) => packageOf(path) === undefined && /\.tsx?$/.test(path))
    assert.deepStrictEqual(own.filter(([path]) => hasState(path, read(path))), [])
    const packages = new Set(twice.flatMap(([path]) => packageOf(path) ?? []))
    assert.deepStrictEqual([...packages].filter((name) => !PACKAGES.has(name)), [])
  })
  it("is one of those that load a bundle, for every bundle", () => {
    const loaded = Object.values(PROCESSES)
    assert.deepStrictEqual(
      built.contents.map(([entry]) => entry).filter((entry) => !loaded.some((loads) => loads(entry))),
      []
    )
  })
  it("is found to have a module twice, by bundles or by a file of its own", () => {
    const contents = [["a.ts", ["state.ts", "a.ts"]], ["b.ts", ["state.ts", "c.ts"]], ["d.ts", ["a.ts"]]] as const
    const found = copies({ contents, single: ["dist/c.js", "dist/e.js"] }, (path) => path !== "d.ts")
    assert.deepStrictEqual([...found], [["state.ts", ["b.ts", "a.ts"]], ["c.ts", ["b.ts", "c.ts"]]])
  })
  it.each([
    ["let count = 0", true],
    ["export let shared: string | undefined", true],
    ["const cache = new Map<string, number>()", true],
    ["const secrets = new WeakMap()", true],
    ["const waiting: Array<string> = []", true],
    ["const NAMES = new Set([\"a\"])", false],
    ["const f = () => { let count = 0; return new Map() }", false]
  ])("has state by %s: %s", (text, expected) => {
    assert.strictEqual(hasState("sdk/a.ts", text), expected)
  })
})
