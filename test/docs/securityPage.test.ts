/** The pages about security make no claim without a test, and name only existing tests and settings. */
import { assert, describe, it } from "vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { SETTINGS } from "#service/config/Config"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))
const defenses = readFileSync(`${ROOT}docs/defenses.md`, "utf8")
const page = readFileSync(`${ROOT}SECURITY.md`, "utf8") + defenses

describe("the pages about security", () => {
  it("name an existing test for every defense", () => {
    const [, ...threats] = defenses.split(/^## /m)
    assert.isAbove(threats.length, 15)
    const tests = threats.map((text) => ({
      threat: text.split("\n")[0],
      paths: [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!)
    }))
    assert.deepStrictEqual(tests.filter(({ paths }) => paths.length === 0), [])
    const missing = tests.filter(({ paths }) => paths.some((path) => !existsSync(`${ROOT}${path}`)))
    assert.deepStrictEqual(missing, [])
  })

  it("name every test of test/security", () => {
    const named = new Set([...page.matchAll(/`test\/security\/(\w+)\.test\.ts`/g)].map(([, name]) => name))
    const files = readdirSync(`${ROOT}test/security`).filter((name) => name.endsWith(".test.ts"))
    assert.deepStrictEqual([...named].toSorted(), files.map((name) => name.replace(".test.ts", "")).toSorted())
  })

  it("name existing settings", () => {
    const flags = new Set<string | null>(Object.values(SETTINGS).map(({ flag }) => flag))
    const variables = new Set(Object.values(SETTINGS).map(({ environment }) => environment))
    const named = [...page.matchAll(/`--([a-z-]+)`/g)].map(([, flag]) => flag!)
    assert.deepStrictEqual(named.filter((flag) => !flags.has(flag)), [])
    const set = [...page.matchAll(/`(VPS_SERVICE_\w+)`/g)].map(([, name]) => name!)
    assert.deepStrictEqual(set.filter((name) => !variables.has(name)), [])
  })
})
