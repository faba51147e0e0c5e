/** The test engine against the real one, all rows. */
import { expect, it } from "vitest"
import { RECORDED, ROWS, testEngine, testPulumi } from "../engine/engineTests.ts"

it("every row of the table has been recorded, and nothing else", () => {
  expect(Object.keys(RECORDED).toSorted()).toEqual(ROWS.toSorted())
})
testEngine(ROWS)
testPulumi(ROWS)
