/** A release sets the version in every file that has it, and its heading in the changelog. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "vitest"
import { assertLike } from "../support/like.ts"
import { readVersion, released, setVersion } from "../../.config/release/version.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))
const OLD = readVersion(ROOT)

/** Versions of others, states of earlier ones, the history, and files that are generated after the version is set. */
const KEEP = new RegExp(
  "^(\\.ci/engines/|test/|CHANGELOG\\.md$|package-lock\\.json$|provider/plugin-host/schema\\.json$|"
    + "docs/installation-conf)"
)

const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-version-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("the version", () => {
  const escaped = OLD.replaceAll(".", "\\.")
  const paths = execFileSync("git", ["grep", "-lE", `(^|[^0-9.])${escaped}([^0-9.]|$)`], {
    cwd: ROOT,
    encoding: "utf8"
  })
    .trim().split("\n")
  it("is set in every file that has it", () => {
    for (const path of paths) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      cpSync(join(ROOT, path), join(folder, path))
    }
    setVersion(folder, "12.34.56")
    assert.strictEqual(readVersion(folder), "12.34.56")
    const has = (path: string) =>
      new RegExp(`(?<![\\d.])${escaped}(?![\\d.])`).test(readFileSync(join(folder, path), "utf8"))
    assert.deepStrictEqual(paths.filter((path) => !KEEP.test(path)).filter(has), [])
    const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"))
    assert.deepStrictEqual([lock.version, lock.packages[""].version], ["12.34.56", "12.34.56"])
    assertLike(lock.packages["sdk/testing"], { version: "12.34.56", dependencies: { "@pulumi-vps/sdk": "12.34.56" } })
  })
  it("must be one", () => {
    assert.throws(() => setVersion(folder, "next"), "next is not a version. Use one like 1.2.3.")
  })
})

describe("the changelog", () => {
  const text = "# Changelog\n\n## [0.2.0] - unreleased\n\n- New.\n\n## [0.1.0] - 2026-01-02\n\n- Old.\n"
  it("gets the heading of the release, whose text becomes its notes", () => {
    const [all, notes] = released(text, "0.3.0", "2026-12-24")
    assert.strictEqual(all, text.replace("## [0.2.0] - unreleased", "## [0.3.0] - 2026-12-24"))
    assert.strictEqual(notes, "- New.")
  })
  it("must have changes that are not released", () => {
    assert.throws(
      () => released(text.replace("unreleased", "2026-02-03"), "0.3.0", "2026-12-24"),
      "has no heading like"
    )
  })
  it("of this tree can be released", () => {
    const [, notes] = released(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), "99.0.0", "2026-12-24")
    assert.isAbove(notes.length, 100)
  })
})
