/** The test engine against the real one, all rows. */
import { assert, it } from "vitest"
import { RECORDED, ROWS, testEngine, testPulumi } from "../engine/engineTests.ts"

it("every row of the table has been recorded, and nothing else", () => {
  assert.deepStrictEqual(Object.keys(RECORDED).toSorted(), ROWS.toSorted())
})
testEngine(ROWS)
testPulumi(ROWS)
