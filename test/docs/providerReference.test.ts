/** The generated sections of docs/provider.md and docs/provider-reference.md are current and complete. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import * as provider from "#provider/index"
import { readManifest } from "../support/consumer.ts"
import { DOCUMENTS, fill, pageFiles, sections } from "../../.config/providerReference.ts"

const texts = DOCUMENTS.map((path) => readFileSync(path, "utf8"))
const text = texts.join("\n")

describe("the provider's documents", () => {
  it("are current: `npm run provider:reference` would change nothing", () => {
    assert.deepStrictEqual(texts.map(fill), texts)
  })
  it.each(Object.entries(pageFiles()))(
    "%s is current: `npm run provider:reference` would not change it",
    (path, page) => {
      assert.strictEqual(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"), page)
    }
  )
  it.each(sections)("have the section %s", (name) => assert.include(text, `<!-- begin ${name} -->`))
  it("are generated again when a section is outdated", () => {
    const outdated = text.replace(/(<!-- begin settings -->)[^]*(<!-- end settings -->)/, "$1 outdated $2")
    assert.notStrictEqual(outdated, text)
    assert.strictEqual(fill(outdated), text)
  })
  it("name the oldest SDK of Pulumi that npm accepts", () => {
    const [, oldest = ""] = /^\^(\d+\.\d+)\.0$/.exec(readManifest().peerDependencies["@pulumi/pulumi"] ?? "") ?? []
    assert.match(text, new RegExp(`\\| npm's \`@pulumi/pulumi\` +\\| ${oldest} or newer`))
  })
  it("describe everything that a program can create or call", () => {
    const names = Object.keys(provider).filter((name) => !name.endsWith("Output"))
    assert.isAbove(names.length, 15)
    const helpers = new Set(["readState", "readStates", "describeOrphans"])
    assert.deepStrictEqual(names.filter((name) => !helpers.has(name) && !text.includes(name)), [])
  })
})
