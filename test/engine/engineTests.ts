/** The test engine against the real one, call by call: `probe/recorded.json` is what `pulumi` 3.259.0 did. */
import { readFileSync } from "node:fs"
import { afterAll, assert, describe, it } from "vitest"
import { record, type Recorded } from "./probe/record.ts"
import { PROBES } from "./probe/table.ts"
import { hasPulumi, pulumiCli } from "./PulumiCli.ts"
import { TestEngine } from "./TestEngine.ts"

/** ms; a row is up to nine runs of an engine at 2 s, or 30 s on a busy machine. */
const ROW_TIMEOUT = 900_000

type Name = keyof typeof PROBES

export const ROWS = Object.keys(PROBES) as ReadonlyArray<Name>

export const RECORDED = JSON.parse(readFileSync(new URL("./probe/recorded.json", import.meta.url), "utf8")) as Record<
  string,
  ReadonlyArray<Recorded>
>

export const testEngine = (rows: ReadonlyArray<Name>): void => {
  describe("the test engine does what the real one was recorded to do", () => {
    const engine = new TestEngine()
    afterAll(() => engine.close())

    it.each(rows)("%s", async (name) => {
      assert.deepStrictEqual(await record(engine.make, PROBES[name]), RECORDED[name])
    }, ROW_TIMEOUT)
  })
}

export const testPulumi = (rows: ReadonlyArray<Name>): void => {
  describe.skipIf(!hasPulumi)("the real engine still does what was recorded (skipped without pulumi)", () => {
    it.each(rows)("%s", async (name) => {
      assert.deepStrictEqual(await record(pulumiCli, PROBES[name]), RECORDED[name])
    }, ROW_TIMEOUT)
  })
}
