/** The generated sections of docs/provider.md and docs/provider-reference.md are current and complete. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as provider from "#provider/index"
import { readManifest } from "../support/consumer.ts"
import { pageFiles } from "../../.config/providerPages.ts"
import { DOCUMENTS, fill, sections } from "../../.config/providerReference.ts"

const texts = DOCUMENTS.map((path) => readFileSync(path, "utf8"))
const text = texts.join("\n")

describe("the provider's documents", () => {
  it("are current: `npm run provider:reference` would change nothing", () => {
    expect(texts.map(fill)).toEqual(texts)
  })
  it.each(Object.entries(pageFiles()))(
    "%s is current: `npm run provider:reference` would not change it",
    (path, page) => {
      expect(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")).toBe(page)
    }
  )
  it.each(sections)("have the section %s", (name) => expect(text).toContain(`<!-- begin ${name} -->`))
  it("are generated again when a section is outdated", () => {
    const outdated = text.replace(/(<!-- begin settings -->)[^]*(<!-- end settings -->)/, "$1 outdated $2")
    expect(outdated).not.toBe(text)
    expect(fill(outdated)).toBe(text)
  })
  it("name the oldest SDK of Pulumi that npm accepts", () => {
    const [, oldest = ""] = /^\^(\d+\.\d+)\.0$/.exec(readManifest().peerDependencies["@pulumi/pulumi"] ?? "") ?? []
    expect(text).toMatch(new RegExp(`\\| npm's \`@pulumi/pulumi\` +\\| ${oldest} or newer`))
  })
  it("describe everything that a program can create or call", () => {
    const names = Object.keys(provider).filter((name) => !name.endsWith("Output"))
    expect(names.length).toBeGreaterThan(15)
    const helpers = new Set(["readState", "readStates", "describeOrphans"])
    expect(names.filter((name) => !helpers.has(name) && !text.includes(name))).toEqual([])
  })
})
