/** SECURITY.md makes no claim without a test, and names only existing tests and settings. */
import { assert, describe, it } from "vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { SETTINGS } from "#service/config/Config"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))
const page = readFileSync(`${ROOT}SECURITY.md`, "utf8")

const section = (title: string): string => page.split(`\n## ${title}`)[1]!.split("\n## ")[0]!

const rows = (title: string): ReadonlyArray<ReadonlyArray<string>> =>
  section(title).split("\n").filter((line) => line.startsWith("|")).slice(2)
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))

describe("SECURITY.md", () => {
  it("names an existing test for every defense", () => {
    const defenses = rows("Defenses")
    assert.isAbove(defenses.length, 15)
    const tests = defenses.map(([threat, , shown]) => ({
      threat,
      paths: [...shown!.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!)
    }))
    assert.deepStrictEqual(tests.filter(({ paths }) => paths.length === 0), [])
    const missing = tests.filter(({ paths }) => paths.some((path) => !existsSync(`${ROOT}${path}`)))
    assert.deepStrictEqual(missing, [])
  })

  it("names every test of test/security", () => {
    const named = new Set([...page.matchAll(/`test\/security\/(\w+)\.test\.ts`/g)].map(([, name]) => name))
    const files = readdirSync(`${ROOT}test/security`).filter((name) => name.endsWith(".test.ts"))
    assert.deepStrictEqual([...named].toSorted(), files.map((name) => name.replace(".test.ts", "")).toSorted())
  })

  it("names existing settings", () => {
    const flags = new Set<string | null>(Object.values(SETTINGS).map(({ flag }) => flag))
    const variables = new Set(Object.values(SETTINGS).map(({ environment }) => environment))
    const named = [...page.matchAll(/`--([a-z-]+)`/g)].map(([, flag]) => flag!)
    assert.deepStrictEqual(named.filter((flag) => !flags.has(flag)), [])
    const set = [...page.matchAll(/`(VPS_SERVICE_\w+)`/g)].map(([, name]) => name!)
    assert.deepStrictEqual(set.filter((name) => !variables.has(name)), [])
  })
})
