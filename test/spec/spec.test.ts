/** Every sentence of the specification is proved by an existing test. The rules are shown what breaks them, too. */
import { assert, describe, it } from "vitest"
import { parse, sources } from "../tidy/Source.ts"
import { SECTIONS } from "./Sections.ts"
import { faults, parseTable, readTables } from "./Tables.ts"
import { titlesOf } from "./Titles.ts"

const files = new Map(sources().map((source) => [source.path, source]))
const known = new Map<string, ReadonlySet<string>>()

/** The tests of a file; each file is read once. */
const titlesIn = (path: string): ReadonlySet<string> | undefined => {
  const source = files.get(path)
  if (source === undefined) return undefined
  const titles = known.get(path) ?? titlesOf(source)
  known.set(path, titles)
  return titles
}

describe("the tables", () => {
  const tables = readTables()
  it("name an existing test for every sentence", () => {
    assert.deepStrictEqual(faults(tables, SECTIONS, titlesIn), [])
  })
  it("are read whole", () => {
    assert.isAbove(tables.rows.length, 150)
    assert.deepStrictEqual(new Set(tables.rows.map(({ document }) => document)), new Set(["service-spec.md"]))
  })
})

const PAGE = `# a.md

## One

- It rains.
  - \`test/rain.test.ts\`: rain > falls
- It snows.
  - Not testable: there is no snow here.
`

const SECTION = ["a.md, One"]
const RAIN = (path: string) => path === "test/rain.test.ts" ? new Set(["rain > falls"]) : undefined
const wrong = (page: string, sections = SECTION) => faults(parseTable("t.md", page), sections, RAIN)

describe("a table", () => {
  it("passes when each sentence has an existing test or the reason why none is possible", () => {
    assert.deepStrictEqual(wrong(PAGE), [])
  })
  it.each([
    [
      "a test that is gone",
      PAGE.replace("> falls", "> fell"),
      "t.md:5 names a test that is not in test/rain.test.ts: rain > fell"
    ],
    [
      "a file that is gone",
      PAGE.replace("rain.test", "sun.test"),
      "t.md:5 names a test that is not in test/sun.test.ts: rain > falls"
    ],
    ["a sentence twice", `${PAGE}${PAGE.slice(PAGE.indexOf("- It rains"))}`, "t.md:9 says again: It rains."],
    ["a test twice for one sentence", PAGE.replace(/( {2}- `.*\n)/, "$1$1"), "t.md:5 names twice: rain > falls"],
    ["a sentence without a test", PAGE.replace(/ {2}- `.*\n/, ""), "t.md:5 has no test: It rains."],
    ["a departure without a test", PAGE.replace("Not testable", "Departs"), "t.md:7 has no test: It snows."],
    ["a section without a row", PAGE.slice(0, PAGE.indexOf("- It")), "no row for a.md, One"],
    ["a section that the text has not", PAGE.replace("## One", "## Two"), "no section of the text: a.md, Two"],
    [
      "a line that is none of these",
      PAGE.replace("  - Not", "  Not"),
      "not understood: t.md:8   Not testable: there is no snow here."
    ],
    [
      "a test before its sentence",
      PAGE.replace("- It rains.\n", ""),
      "not understood: t.md:5   - `test/rain.test.ts`: rain > falls"
    ]
  ])("is found with %s", (_, page, fault) => {
    assert.include(wrong(page), fault)
  })
})

describe("the title of a test", () => {
  it("is that of its groups and its own, however they are made", () => {
    const source = parse(
      "test/a.test.ts",
      `describe("a", () => {
        it("one", () => {})
        it.effect.each([1])("two %s", () => {})
        it.skipIf(linux)("three", () => {})
        it(\`four \${MAX}\`, () => {})
        it.effect.prop("five", [Int], () => {})
      })
      describe.each([1])("b %s", (n) => describe("c", () => { test.effect("one", () => {}) }))
      layer(App)("d", (it) => { it.effect("one", () => {}) })
      layer(App)((it) => { it.effect("two", () => {}) })
      it.each([1])(name, () => {})
      export const rules: Rules = { "a rule": work }
      export const others = { "no rule": work }`
    )
    assert.deepStrictEqual([...titlesOf(source)], [
      "a > one",
      "a > two %s",
      "a > three",
      "a > four ${MAX}",
      "a > five",
      "b %s > c > one",
      "d > one",
      "two",
      "a rule"
    ])
  })
})
