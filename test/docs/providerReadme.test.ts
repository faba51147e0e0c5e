/** What provider/README.md says in tables is what the provider judges inputs by. */
import { existsSync, readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import * as provider from "#provider/index"
import { fill, README, sections } from "../../.config/providerReadme.ts"

const text = readFileSync(README, "utf8")

describe("provider/README.md", () => {
  it("is current: `npm run readme` would change nothing", () => expect(fill(text)).toBe(text))
  it.each(sections)("has the section %s", (name) => {
    expect(text).toContain(`<!-- begin ${name} -->`)
    expect(fill(text).length).toBeGreaterThan(fill(text.replace(`<!-- begin ${name} -->`, "")).length)
  })
  it("fills a section anew, whatever stood there", () => {
    const stale = text.replace(/(<!-- begin settings -->)[^]*(<!-- end settings -->)/, "$1 stale $2")
    expect(stale).not.toBe(text)
    expect(fill(stale)).toBe(text)
  })
  it("describes everything that a program can make or call", () => {
    const names = Object.keys(provider).filter((name) => !name.endsWith("Output"))
    expect(names.length).toBeGreaterThan(15)
    const helpers = new Set(["readState", "readStates", "describeOrphans"])
    expect(names.filter((name) => !helpers.has(name) && !text.includes(name))).toEqual([])
  })
  it("links only to what is there", () => {
    const links = [...text.matchAll(/\]\((\.\.\/[^)]+)\)/g)].map(([, link]) =>
      new URL(link ?? "", pathToFileURL(README))
    )
    expect(links.length).toBeGreaterThan(3)
    expect(links.filter((link) => !existsSync(link))).toEqual([])
  })
})
