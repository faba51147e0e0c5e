/** docs/real-instances.md: each of its commands is executed by a test, and its packages are those of the tests. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { blocksWith, PAGE } from "../libvirt/Script.ts"
import { ROOT } from "../support/consumer.ts"
import { codeBlocks, readDocument } from "../support/documents.ts"

/** The packages that the commands of a text install. */
const packagesIn = (text: string): ReadonlyArray<string> =>
  [...text.replaceAll("\\\n", " ").matchAll(/apt-get install -*[^&|>)\n]*/g)]
    .flatMap(([line]) => line.split(/\s+/).slice(2)).filter((word) => /^[a-z]/.test(word))

/** The packages that CI installs: those of each `debian SUBJECT "PROGRAM ..." PACKAGE ...`. */
const packagesOfCi = (script: string): ReadonlyArray<string> =>
  [...script.replaceAll("\\\n", " ").replaceAll(/"[^"]*"/g, "QUOTED").matchAll(/^debian \w+ \w+ (.*)$/gm)]
    .flatMap(([, packages = ""]) => packages.trim().split(/\s+/))

/** Needs systemd, which the tests do not have: they install the daemon, and start it themselves. */
const UNITS_OF: Readonly<Record<string, string>> = { "libvirt-daemon-system": "libvirt-daemon" }

describe("the guide to real instances", () => {
  it("has no commands that no test executes", () => {
    const sources = globSync("test/**/*.ts", { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), "utf8"))
    const texts = sources.flatMap((source) =>
      [...source.matchAll(/blocksWith\(PAGE, "([^"]+)"\)/g)].map(([, text]) => text!)
    )
    const blocks = codeBlocks(readDocument(PAGE), "sh")
    assert.isAbove(blocks.length, 8)
    assert.deepStrictEqual(blocks.filter((block) => !texts.some((text) => block.includes(text))), [])
  })

  it("installs what the tests install", () => {
    const tested = packagesOfCi(readFileSync(join(ROOT, ".ci/run"), "utf8"))
    const named = packagesIn(blocksWith(PAGE, "apt-get install").join(""))
    assert.isAbove(named.length, 6)
    assert.deepStrictEqual(named.filter((name) => !tested.includes(UNITS_OF[name] ?? name)), [])
  })
})
