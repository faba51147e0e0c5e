/** The test engine against the real one, call by call: `probe/recorded.json` is what `pulumi` 3.259.0 did. */
import { readFileSync } from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import { hasPulumi, pulumiCli } from "../engine/PulumiCli.ts"
import { record, type Recorded } from "../engine/probe/record.ts"
import { PROBES } from "../engine/probe/table.ts"
import { TestEngine } from "../engine/TestEngine.ts"

/** ms; a row is up to nine runs of an engine at 2 s. */
const ROW_TIMEOUT = 300_000

const RECORDED = JSON.parse(
  readFileSync(new URL("../engine/probe/recorded.json", import.meta.url), "utf8")
) as Record<string, ReadonlyArray<Recorded>>

/** Played on the real engine in every run; `probe/rerecord.ts` plays all of them. */
const PLAYED_AGAIN = ["killed while creating: a lock, a pending operation, and a create like the first"]

it("every row of the table has been recorded, and nothing else", () => {
  expect(Object.keys(RECORDED).toSorted()).toEqual(Object.keys(PROBES).toSorted())
})

describe("the test engine does what the real one was recorded to do", () => {
  const engine = new TestEngine()
  afterAll(() => engine.close())

  it.each(Object.entries(PROBES))("%s", async (name, steps) => {
    expect(await record(engine.make, steps)).toEqual(RECORDED[name])
  }, ROW_TIMEOUT)
})

describe.skipIf(!hasPulumi)("the real engine still does what was recorded (skipped without pulumi)", () => {
  it.each(PLAYED_AGAIN)("%s", async (name) => {
    expect(await record(pulumiCli, PROBES[name] ?? [])).toEqual(RECORDED[name])
  }, ROW_TIMEOUT)
})
