/** Users run bundles: no process has a module's state twice. `consumers.ci.test.ts` runs each entry and command. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { copies, hasState, PROCESSES, readBuilt } from "../support/seams.ts"
import { ROOT } from "../tidy/Source.ts"

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8")

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
  it("is found to have a module twice", () => {
    const contents = [["a.ts", ["state.ts", "a.ts"]], ["b.ts", ["state.ts", "c.ts"]], ["d.ts", ["a.ts"]]] as const
    const found = copies({ contents }, (path) => path !== "d.ts")
    assert.deepStrictEqual([...found], [["state.ts", ["b.ts", "a.ts"]]])
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
