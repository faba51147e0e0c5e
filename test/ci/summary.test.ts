/** `.ci/summary.mjs`: what counts as passed, failed and skipped in continuous integration. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { ROOT } from "../support/consumer.ts"

const folder = mkdtempSync(join(tmpdir(), "vps-summary-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface AllowedSkip {
  readonly tests: string
  readonly reason: string
  readonly runsOn: string
  readonly without?: string
}

const write = (name: string, content: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}

/** A report of vitest on one file with these tests. */
const report = (tests: Readonly<Record<string, string>>): string =>
  write("tests.json", {
    testResults: [{
      name: "a.test.ts",
      status: Object.values(tests).includes("failed") ? "failed" : "passed",
      assertionResults: Object.entries(tests).map(([fullName, status]) => ({ fullName, status }))
    }]
  })

/** The summary's lines and exit status. */
const summarize = (allowed: ReadonlyArray<AllowedSkip>, ...commands: ReadonlyArray<string>) => {
  const args = [join(ROOT, ".ci/summary.mjs"), write("allowed.json", allowed), ...commands]
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
  assert.strictEqual(stderr, "")
  return { status, lines: stdout.trim().split("\n") }
}

const TERRAFORM: AllowedSkip = {
  tests: "on the real terraform",
  without: "a-command-that-nobody-has",
  reason: "It is installed by hand.",
  runsOn: "computers with terraform"
}
const ADDED =
  "the panel (skipped. Make .ci/run install what it needs, or add it to .ci/allowedSkips.json with the reason.)"

describe("the summary of continuous integration", () => {
  it("passes when all tests have passed", () => {
    const file = report({ "one": "passed", "two": "passed" })
    assert.deepStrictEqual(summarize([], "npm test", "0", file), {
      status: 0,
      lines: ["2 passed, 0 failed, 0 skipped"]
    })
  })

  it("names each test that failed", () => {
    const { lines, status } = summarize([], "npm test", "1", report({ "one": "passed", "two": "failed" }))
    assert.deepStrictEqual(lines, ["failed: two", "1 passed, 1 failed, 0 skipped"])
    assert.strictEqual(status, 1)
  })

  it("fails for a skip that is not on the list, and says what to do", () => {
    const { lines, status } = summarize([], "npm test", "0", report({ "one": "passed", "the panel": "skipped" }))
    assert.deepStrictEqual(lines, [`failed: ${ADDED}`, "1 passed, 1 failed, 0 skipped"])
    assert.strictEqual(status, 1)
  })

  it.each(["pending", "todo", "disabled"])("counts a test that is %s as skipped", (state) => {
    assert.include(summarize([], "npm test", "0", report({ "the panel": state })).lines, `failed: ${ADDED}`)
  })

  it("allows a skip that is on the list, and gives the reason", () => {
    const file = report({ "one": "passed", "apply on the real terraform": "skipped" })
    assert.deepStrictEqual(summarize([TERRAFORM], "npm test", "0", file), {
      status: 0,
      lines: [
        "skipped: apply on the real terraform (It is installed by hand. Runs on: computers with terraform.)",
        "1 passed, 0 failed, 1 skipped"
      ]
    })
  })

  it("fails for a skip that is on the list where the command is on PATH that it lacks elsewhere", () => {
    const file = report({ "apply on the real terraform": "skipped" })
    const { lines, status } = summarize([{ ...TERRAFORM, without: "sh" }], "npm test", "0", file)
    assert.deepStrictEqual(lines, [
      "failed: apply on the real terraform (skipped, although sh is on PATH. Find out what else it needs.)",
      "0 passed, 1 failed, 0 skipped"
    ])
    assert.strictEqual(status, 1)
  })

  it("fails for an entry of the list that no test is named like", () => {
    const { lines, status } = summarize([TERRAFORM], "npm test", "0", report({ "one": "passed" }))
    const unused = ".ci/allowedSkips.json: no test is named like \"on the real terraform\""
    assert.deepStrictEqual(lines, [
      `failed: ${unused}. Correct the entry, or remove it.`,
      "1 passed, 1 failed, 0 skipped"
    ])
    assert.strictEqual(status, 1)
  })

  it("accepts an entry of the list whose tests run here", () => {
    const file = report({ "apply on the real terraform": "passed" })
    assert.strictEqual(summarize([TERRAFORM], "npm test", "0", file).status, 0)
  })

  it("names a command that failed before it could report its tests, and no entry of the list", () => {
    const { lines } = summarize([TERRAFORM], "npm ci", "1", "-", "npm test", "1", join(folder, "none.json"))
    assert.deepStrictEqual(lines, [
      "failed: npm ci (exit status 1)",
      "failed: npm test (exit status 1)",
      "0 passed, 2 failed, 0 skipped"
    ])
  })

  it("counts checks like tests", () => {
    const file = write("checks.json", [{ name: "lint", passed: false }, { name: "types", passed: true }])
    const { lines } = summarize([], "npm run check", "1", file)
    assert.deepStrictEqual(lines, ["failed: check: lint", "1 passed, 1 failed, 0 skipped"])
  })
})

it("the list has a pattern, a reason and a machine for each allowed skip, and no pattern twice", () => {
  const list = JSON.parse(readFileSync(join(ROOT, ".ci/allowedSkips.json"), "utf8")) as ReadonlyArray<AllowedSkip>
  for (const { reason, runsOn, tests } of list) {
    assert.match(reason, /^[A-Z].*\.$/)
    assert.isNotEmpty(runsOn)
    assert.notMatch("", new RegExp(tests))
  }
  assert.lengthOf(new Set(list.map(({ tests }) => tests)), list.length)
})
