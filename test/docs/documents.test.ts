/** The README and the guides: their links, commands, and tables. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { SETTINGS } from "#service/config/Config"
import { ROOT } from "../support/consumer.ts"
import { codeBlocks, DOCUMENTS, readDocument } from "../support/documents.ts"
import { assertExactlyLike, containing } from "../support/like.ts"

/** Words, code included: the page is read in some minutes, and each first program has the key to log in with. */
const README_WORDS = 800
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

const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { readonly scripts: object }
const flags = new Set(Object.values(SETTINGS).map(({ flag }) => `--${flag}`))

describe.each(DOCUMENTS)("%s", (path) => {
  const text = readDocument(path)
  it("only links to existing files and headings", () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link]) => link!)
    assert.deepStrictEqual(links.filter((link) => isBroken(path, link)), [])
  })
  it("only names existing npm scripts", () => {
    const named = [...text.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, script]) => script!)
    assert.deepStrictEqual(named.filter((script) => !(script in scripts)), [])
  })
  it("only names existing tests", () => {
    const named = [...text.matchAll(/`(test\/[\w./-]+)`/g)].map(([, test]) => test!)
    assert.deepStrictEqual(named.filter((test) => !existsSync(join(ROOT, test))), [])
  })
  it("only passes existing flags to the service", () => {
    const lines = codeBlocks(text, "sh").flatMap((block) => block.match(/vps-service (?!admin|config)[^#\n]*/g) ?? [])
    const used = lines.flatMap((line) => line.match(/--[a-z-]+/g) ?? [])
    assert.deepStrictEqual(used.filter((flag) => !flags.has(flag)), [])
  })
  it("runs `npx vps` only after an installation: that name belongs to another package", () => {
    const early = [...text.matchAll(/npx (?!-p pulumi-vps )vps\S*/g)].filter(({ index }) =>
      !/npm install [^\n]*pulumi-vps/.test(text.slice(0, index))
    )
    assert.deepStrictEqual(early.map(([command]) => command), [])
  })
  it("has table cells of one line", () => {
    const cells = text.split("\n").filter((line) => line.startsWith("| ")).flatMap((line) => line.split(" | "))
    assert.deepStrictEqual(cells.filter((cell) => cell.trim().length > CELL_LENGTH), [])
  })
})

it.each(["README.md", "docs/getting-started.md"])(
  "%s sets the passphrase before `pulumi stack init` prompts for it",
  (path) => {
    const steps = /pulumi login --local[^]*?```/.exec(readDocument(path))?.[0] ?? ""
    assert.match(steps, /export PULUMI_CONFIG_PASSPHRASE=[^]*pulumi stack init/)
  }
)

it("no message names npx: its reader may have another installation", () => {
  const sources = globSync("{sdk,service,provider}/**/*.ts", { cwd: ROOT })
  assert.isAbove(sources.length, 300)
  assert.deepStrictEqual(sources.filter((path) => readFileSync(join(ROOT, path), "utf8").includes("npx ")), [])
})

it("README.md is short, and names the commands for newcomers", () => {
  const text = readDocument("README.md")
  assert.isAtMost(text.split(/\s+/).length, README_WORDS)
  for (const command of ["npm ci && npm run quickstart", "npm ci && npm test"]) assert.include(text, command)
})

it("README.md names the test command that CI runs", () => {
  const commands = [...readFileSync(join(ROOT, ".ci/run"), "utf8").matchAll(/^(?:VITEST_JSON=\S+ )?(npm .*)$/gm)]
  assertExactlyLike(commands.map(([, command]) => command), [
    "npm ci",
    "npm test",
    "npm run test:ci",
    containing("npm run -s check")
  ])
})

it("`pulumi up` in a clone runs the quickstart's program", () => {
  const project = (path: string) => parse(readFileSync(join(ROOT, path), "utf8")) as { readonly main: string }
  const [clone, example] = [project("Pulumi.yaml"), project("examples/quickstart/Pulumi.yaml")]
  assert.deepStrictEqual(clone, { ...example, main: join("examples/quickstart", example.main) })
  assert.isTrue(existsSync(join(ROOT, clone.main)))
})
