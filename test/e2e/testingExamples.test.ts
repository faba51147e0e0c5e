/** Runs the examples for testing without spending money, as their first line says. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { ROOT } from "../support/consumer.ts"
import { hasPulumi } from "../engine/PulumiCli.ts"

/** ms; a pulumi command takes some 4 s, and there are six of them. */
const PULUMI_TIMEOUT = 300_000

/** Pulumi keeps things in its user's home. */
const home = mkdtempSync(join(tmpdir(), "pulumi-vps-examples-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Runs a test file with Node's runner, with nothing in its environment but where programs are. */
const runTests = (file: string) => {
  const path = `${dirname(process.execPath)}:${process.env["PATH"]}`
  const env = { PATH: path, HOME: home, NO_COLOR: "1", NODE_NO_WARNINGS: "1" }
  const args = ["--test", "--test-reporter=tap", `examples/${file}`]
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: "utf8" })
  const count = (word: string) => Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(stdout)?.[1])
  return {
    status,
    passed: count("pass"),
    skipped: count("skipped"),
    failed: /^ *not ok[^]*?\n *\.\.\./m.exec(stdout)?.[0]
  }
}

describe("examples", () => {
  it("testing-a-script: what a script buys, and what it does when things go wrong", () => {
    expect(runTests("testing-a-script/fleet.test.ts")).toEqual({ status: 0, passed: 7, skipped: 0, failed: undefined })
  })
  it("testing-a-pulumi-program: the resources of a program", () => {
    const ran = runTests("testing-a-pulumi-program/unit.test.ts")
    expect(ran).toEqual({ status: 0, passed: 2, skipped: 0, failed: undefined })
  })
  it.skipIf(!hasPulumi)(
    "testing-a-pulumi-program: what it is charged under the real pulumi (skipped when it is not on PATH)",
    () => {
      const ran = runTests("testing-a-pulumi-program/emulator.test.ts")
      expect(ran).toEqual({ status: 0, passed: 2, skipped: 0, failed: undefined })
    },
    PULUMI_TIMEOUT
  )
})
