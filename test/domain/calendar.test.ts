import { assert, describe, it } from "@effect/vitest"
import { monthsAfter, nextPeriodEnd, toOptionalTimestamp, toTimestamp } from "#service/domain/Calendar"

const at = (iso: string): number => Date.parse(iso)

describe("periods of a contract", () => {
  it.each([
    ["2026-01-31T10:11:12.345Z", 1, "2026-02-28T10:11:12.345Z"],
    ["2026-01-31T10:11:12.345Z", 2, "2026-03-31T10:11:12.345Z"],
    ["2027-12-31T23:59:59.999Z", 2, "2028-02-29T23:59:59.999Z"],
    ["2026-11-21T00:00:00.000Z", 1, "2026-12-21T00:00:00.000Z"],
    ["2026-12-15T00:00:00.000Z", 1, "2027-01-15T00:00:00.000Z"]
  ])("%s and %i months is %s: the anchor day stays", (anchor, months, end) => {
    assert.strictEqual(toTimestamp(monthsAfter(at(anchor), months)), end)
  })

  it.each([
    ["2026-01-31T10:00:00.000Z", ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]],
    ["2027-12-31T23:59:59.999Z", ["2028-01-31", "2028-02-29", "2028-03-31"]],
    ["2026-03-15T00:00:00.000Z", ["2026-04-15", "2026-05-15"]]
  ])("of a contract of %s end at %j: the next one is counted from the anchor, too", (anchor, expected) => {
    let end = nextPeriodEnd(at(anchor), at(anchor))
    for (const day of expected) {
      assert.strictEqual(new Date(end).toISOString(), `${day}${anchor.slice(10)}`)
      end = nextPeriodEnd(at(anchor), end)
    }
  })
})

describe("a moment as the API returns it", () => {
  it("is an ISO 8601 timestamp; null, if there is none", () => {
    assert.strictEqual(toOptionalTimestamp(0), "1970-01-01T00:00:00.000Z")
    assert.isNull(toOptionalTimestamp(null))
  })
})
