/** The README and the guides: their links, commands, and tables. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { SETTINGS } from "#service/config/Config"
import { readManifest, ROOT } from "../support/consumer.ts"
import { codeBlocks, DOCUMENTS, readDocument } from "../support/documents.ts"

const README_WORDS = 700
const CELL_LENGTH = 120

/** The anchor that GitHub generates for a heading. */
const anchor = (heading: string): string =>
  heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").trim().replaceAll(" ", "-")

const anchors = (path: string): ReadonlyArray<string> =>
  [...readFileSync(path, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchor(heading!))

const isBroken = (document: string, link: string): boolean => {
  const [path = "", fragment] = link.split("#")
  const target = path === "" ? join(ROOT, document) : join(ROOT, dirname(document), path)
  if (!existsSync(target)) return true
  return fragment !== undefined && !anchors(target).includes(fragment)
}

const { scripts } = readManifest()
const flags = new Set(Object.values(SETTINGS).map(({ flag }) => `--${flag}`))

describe.each(DOCUMENTS)("%s", (path) => {
  const text = readDocument(path)
  it("only links to existing files and headings", () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link]) => link!)
    expect(links.filter((link) => isBroken(path, link))).toEqual([])
  })
  it("only names existing npm scripts", () => {
    const named = [...text.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, script]) => script!)
    expect(named.filter((script) => !(script in scripts))).toEqual([])
  })
  it("only names existing tests", () => {
    const named = [...text.matchAll(/`(test\/[\w./-]+)`/g)].map(([, test]) => test!)
    expect(named.filter((test) => !existsSync(join(ROOT, test)))).toEqual([])
  })
  it("only passes existing flags to the service", () => {
    const lines = codeBlocks(text, "sh").flatMap((block) => block.match(/vps-service (?!admin|config)[^#\n]*/g) ?? [])
    const used = lines.flatMap((line) => line.match(/--[a-z-]+/g) ?? [])
    expect(used.filter((flag) => !flags.has(flag))).toEqual([])
  })
  it("runs `npx vps` only after an installation: that name belongs to another package", () => {
    const early = [...text.matchAll(/npx (?!-p pulumi-vps )vps\S*/g)].filter(({ index }) =>
      !/npm install [^\n]*pulumi-vps/.test(text.slice(0, index))
    )
    expect(early.map(([command]) => command)).toEqual([])
  })
  it("has table cells of one line", () => {
    const cells = text.split("\n").filter((line) => line.startsWith("| ")).flatMap((line) => line.split(" | "))
    expect(cells.filter((cell) => cell.trim().length > CELL_LENGTH)).toEqual([])
  })
})

it.each(["README.md", "docs/getting-started.md"])(
  "%s sets the passphrase before `pulumi stack init` prompts for it",
  (path) => {
    const steps = /pulumi login --local[^]*?```/.exec(readDocument(path))?.[0] ?? ""
    expect(steps).toMatch(/export PULUMI_CONFIG_PASSPHRASE=[^]*pulumi stack init/)
  }
)

it("no message names npx: its reader may have another installation", () => {
  const sources = globSync("{sdk,service,provider}/**/*.ts", { cwd: ROOT })
  expect(sources.length).toBeGreaterThan(300)
  expect(sources.filter((path) => readFileSync(join(ROOT, path), "utf8").includes("npx "))).toEqual([])
})

it("README.md is short, and names the commands for newcomers", () => {
  const text = readDocument("README.md")
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(README_WORDS)
  for (const command of ["npm ci && npm run quickstart", "npm ci && npm test"]) expect(text).toContain(command)
})

it("README.md names the test command that CI runs", () => {
  const commands = [...readFileSync(join(ROOT, ".ci/run"), "utf8").matchAll(/^(?:VITEST_JSON=\S+ )?(npm .*)$/gm)]
  expect(commands.map(([, command]) => command)).toEqual([
    "npm ci",
    "npm test",
    "npm run test:ci",
    expect.stringContaining("npm run -s check")
  ])
})

it("`pulumi up` in a clone runs the quickstart's program", () => {
  const project = (path: string) => parse(readFileSync(join(ROOT, path), "utf8")) as { readonly main: string }
  const [clone, example] = [project("Pulumi.yaml"), project("examples/quickstart/Pulumi.yaml")]
  expect(clone).toEqual({ ...example, main: join("examples/quickstart", example.main) })
  expect(existsSync(join(ROOT, clone.main))).toBe(true)
})
