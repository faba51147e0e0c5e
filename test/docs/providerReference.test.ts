/** The generated sections of docs/provider.md and docs/provider-reference.md are current and complete. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as provider from "#provider/index"
import { DOCUMENTS, fill, sections } from "../../.config/providerReference.ts"

const texts = DOCUMENTS.map((path) => readFileSync(path, "utf8"))
const text = texts.join("\n")

describe("the provider's documents", () => {
  it("are current: `npm run provider:reference` would change nothing", () => {
    expect(texts.map(fill)).toEqual(texts)
  })
  it.each(sections)("have the section %s", (name) => expect(text).toContain(`<!-- begin ${name} -->`))
  it("are generated again when a section is outdated", () => {
    const outdated = text.replace(/(<!-- begin settings -->)[^]*(<!-- end settings -->)/, "$1 outdated $2")
    expect(outdated).not.toBe(text)
    expect(fill(outdated)).toBe(text)
  })
  it("describe everything that a program can create or call", () => {
    const names = Object.keys(provider).filter((name) => !name.endsWith("Output"))
    expect(names.length).toBeGreaterThan(15)
    const helpers = new Set(["readState", "readStates", "describeOrphans"])
    expect(names.filter((name) => !helpers.has(name) && !text.includes(name))).toEqual([])
  })
})
