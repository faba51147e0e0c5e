/** docs/operating.md and docs/api.md match the code. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { SETTINGS } from "#service/config/Config"
import { LIMITS, SETTABLE } from "#service/config/Limits"
import { limitVariable } from "#service/config/Limit"
import { CONDITIONS, INSTANCE_OPERATIONS, verdict } from "#service/domain/InstanceMachine"
import { ROOT } from "../tidy/Source.ts"
import { metricsPage } from "../support/metricsPage.ts"
import { STATES } from "../support/transitions.ts"

const read = (name: string) => readFileSync(join(ROOT, "docs", name), "utf8")
const text = read("operating.md")

const rows = read("api.md").split("\n").filter((line) => line.startsWith("|"))
  .map((line) => line.split("|").slice(1, -1).map((cell) => cell.replace("\\*", "").replace("*", "").trim()))

describe("the guides for operators and API users", () => {
  it("have the columns of the state table", () => {
    assert.deepInclude(rows, ["operation", ...CONDITIONS])
  })
  it.each(INSTANCE_OPERATIONS)("state the result of %s in each state", (operation) => {
    assert.deepInclude(rows, [operation, ...CONDITIONS.map((condition) => verdict(operation, STATES[condition]))])
  })
  it("document every metric", () => {
    const names = [...metricsPage().matchAll(/^# TYPE (vps_\w+)/gm)].map(([, name]) => name!)
    assert.isAbove(names.length, 8)
    assert.deepStrictEqual(names.filter((name) => !text.includes(`\`${name}\``)), [])
  })
  it("name only limits that operators may set", () => {
    const pages = globSync("docs/**/*.md", { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), "utf8")).join()
    const named = [...pages.matchAll(/\b(?:VPS_SERVICE_)?([A-Z]+(?:_[A-Z]+)+)\b/g)].map(([, name]) => name!)
    assert.deepStrictEqual(new Set(named.filter((name) => name in LIMITS && !SETTABLE.has(name))), new Set())
    assert.isAbove(named.filter((name) => SETTABLE.has(name)).length, 8)
  })
  it("state how many settings and limits there are", () => {
    assert.include(text, `settings and limits (${Object.keys(SETTINGS).length + SETTABLE.size} in total)`)
  })
  it("only name existing settings and flags", () => {
    const variables = new Set([
      ...Object.values(SETTINGS).map(({ environment }) => environment as string),
      ...[...SETTABLE.keys()].map(limitVariable)
    ])
    const flags = new Set(Object.values(SETTINGS).map(({ flag }) => `--${flag}`))
    const named = [...text.matchAll(/\bVPS_SERVICE_\w+/g)].map(([name]) => name)
    assert.deepStrictEqual(named.filter((name) => !variables.has(name)), [])
    const used = [...text.matchAll(/(?<=[\s`(])--[a-z][a-z-]+/g)].map(([flag]) => flag)
    assert.deepStrictEqual(used.filter((flag) => flag !== "--help" && !flags.has(flag)), [])
  })
})
