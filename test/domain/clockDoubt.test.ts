/** The time with which a process starts, from its clock and from what is stored. */
import { assert, describe, it } from "@effect/vitest"
import { type ClockState, inWords, jump, startAt } from "#service/domain/ClockDoubt"

const DAY = 86_400_000
const NEWEST = Date.parse("2027-01-31T12:00:00Z")
const TOLERANCE = { aheadMillis: DAY, behindMillis: 60_000 }
const TRUSTED: ClockState = { newest: NEWEST, doubt: null, sourceAhead: 0, confirmations: 0 }
const DOUBT = { since: NEWEST - DAY, reason: "The clock jumped 3 days ahead." }
const inDoubt = (sourceAhead: number): ClockState => ({ ...TRUSTED, doubt: DOUBT, sourceAhead })

describe("a start", () => {
  it("follows the clock if nothing is stored", () => {
    const never = { ...TRUSTED, newest: 0 }
    assert.deepStrictEqual(startAt(never, NEWEST, TOLERANCE), { time: NEWEST, doubt: null })
  })

  it.each([-60_000, -1, 0, 5 * 60_000, DAY])("follows a clock that is %i ms from the newest stored time", (away) => {
    assert.deepStrictEqual(startAt(TRUSTED, NEWEST + away, TOLERANCE), { time: NEWEST + away, doubt: null })
  })

  it("does not follow a clock that is behind, and doubts it", () => {
    const start = startAt(TRUSTED, NEWEST - 60_001, TOLERANCE)
    assert.deepStrictEqual(start, {
      time: NEWEST,
      doubt: {
        since: NEWEST,
        reason: "At the start, the clock was 1 minutes behind the service's last run (2027-01-31T12:00:00.000Z)."
      }
    })
  })

  it("follows a clock that is far ahead, and doubts it", () => {
    const { doubt, time } = startAt(TRUSTED, NEWEST + DAY + 1, TOLERANCE)
    assert.strictEqual(time, NEWEST + DAY + 1)
    assert.include(
      doubt?.reason,
      "1 days ahead of the service's last run (2027-01-31T12:00:00.000Z): either the service"
    )
  })

  it.each([
    ["the clock is still wrong", 1_000 * DAY, 1_000 * DAY + 5_000, 5_000],
    ["the clock was corrected", 1_000 * DAY, 5_000, 5_000],
    ["the clock was behind, and still is", -1_000 * DAY, -1_000 * DAY + 5_000, 5_000],
    ["neither is later than what is stored", 1_000 * DAY, -5_000, 0]
  ])("in doubt continues from the newest time when %s", (_, sourceAhead, source, expected) => {
    const start = startAt(inDoubt(sourceAhead), NEWEST + source, TOLERANCE)
    assert.deepStrictEqual(start, { time: NEWEST + expected, doubt: DOUBT })
  })
})

describe("the reason of a doubt", () => {
  it.each([
    [999, "1 seconds"],
    [60_000, "1 minutes"],
    [90_000, "1.5 minutes"],
    [2 * 3_600_000, "2 hours"],
    [1_095 * DAY, "1095 days"]
  ])("says %i ms in words", (millis, words) => assert.strictEqual(inWords(millis), words))

  it("says the direction of a jump", () => {
    assert.strictEqual(jump(3 * DAY), "The clock jumped 3 days ahead.")
    assert.strictEqual(jump(-3 * DAY), "The clock jumped 3 days back.")
  })
})
