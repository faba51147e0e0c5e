/** The times below a graph follow the person's language. */
import { assert, describe, it } from "vitest"
import { axisTimes } from "#service/panel/web/api/axisTimes"

const HOUR = 3_600
/** Of the tests' computer, so that the hours are the same everywhere. */
const MIDNIGHT = new Date(2027, 0, 31).getTime() / 1_000

describe("the times below a graph", () => {
  it("are written as in the person's language, with the day where one begins", () => {
    const times = [22, 24, 26].map((hour) => MIDNIGHT + (hour - 24) * HOUR)
    assert.deepStrictEqual(axisTimes(times, 2 * HOUR, "de-DE"), ["22:00\n30. Jan.", "00:00\n31. Jan.", "02:00"])
    assert.deepStrictEqual(axisTimes(times, 2 * HOUR, "en-US").map((text) => text.replaceAll("\u202f", " ")), [
      "10:00 PM\nJan 30",
      "12:00 AM\nJan 31",
      "2:00 AM"
    ])
  })
  it("are days where a step is a day", () => {
    const days = [0, 1].map((day) => MIDNIGHT + day * 24 * HOUR)
    assert.deepStrictEqual(axisTimes(days, 24 * HOUR, "de-DE"), ["31. Jan.", "1. Feb."])
  })
})
