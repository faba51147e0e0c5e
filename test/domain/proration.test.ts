/** The charge of a resize, by hand-made examples and by its laws. */
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { monthsAfter, nextNight } from "#service/domain/Calendar"
import { openPeriods, periodEnding, proration } from "#service/domain/Proration"
import { price } from "#service/domain/Vat"
import { type Treatment, TREATMENTS } from "#service/contract/Words"

const DAY = 86_400_000
const JUNE = { start: Date.UTC(2026, 5, 1), end: Date.UTC(2026, 6, 1) }
const domestic = { treatment: "domestic", rate: 1900 } as const

const charged = (from: number, to: number, left: number, treatment: Treatment = "domestic", rate = 1900) =>
  proration({ from, to, customer: { treatment, rate }, periods: [JUNE], now: JUNE.end - left })

describe("proration", () => {
  it.each<readonly [string, number, number, number, number, number]>([
    ["the whole period", 499, 999, 30 * DAY, 500, 80],
    ["half of it", 499, 999, 15 * DAY, 250, 40],
    ["a third, rounded down", 499, 999, 10 * DAY, 167, 27],
    ["exactly half a cent, rounded up", 499, 500, 15 * DAY, 1, 0],
    ["just below half a cent", 499, 500, 15 * DAY - 1, 0, 0],
    ["a millisecond of it", 499, 1999, 1, 0, 0],
    ["nothing of it", 499, 1999, 0, 0, 0],
    ["a period that is over", 499, 1999, -DAY, 0, 0],
    ["more than the period, as a clock may have it", 499, 999, 31 * DAY, 500, 80],
    ["the same price", 999, 999, 30 * DAY, 0, 0],
    ["a downgrade", 1999, 499, 30 * DAY, 0, 0]
  ])("%s: %i to %i with %i ms left is %i, of which VAT %i", (_, from, to, left, charge, vat) => {
    assert.deepStrictEqual(charged(from, to, left), { charge, vat })
  })

  it("counts on what the customer is charged: net for those who pay no VAT here", () => {
    // 9.99 is 8.39 net and 4.99 is 4.19 net at the home rate of 19 %.
    for (const treatment of ["reverse_charge", "outside_scope", "exempt"] as const) {
      assert.deepStrictEqual(charged(499, 999, 30 * DAY, treatment), { charge: 420, vat: 0 })
    }
    assert.deepStrictEqual(charged(499, 999, 30 * DAY, "oss", 2100), { charge: 500, vat: 87 })
  })

  const Price = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000_000 }))
  const Left = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 * DAY }))
  it.prop(
    "is never negative, never more than the difference, and grows with the time left",
    [Price, Price, Left, Left, Schema.Literals(TREATMENTS)],
    ([from, to, one, other, treatment]) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)]
      const customer = { treatment, rate: 1900 }
      const difference = Math.max(0, price(to, customer).charge - price(from, customer).charge)
      const [small, large] = [charged(from, to, less, treatment).charge, charged(from, to, more, treatment).charge]
      assert.isAtLeast(small, 0)
      assert.isAtLeast(large, small)
      assert.isAtMost(large, difference)
    }
  )
})

describe("the period that ends", () => {
  it.each([
    ["2026-01-31T10:00:00.000Z", 1, "2026-01-31T10:00:00.000Z"],
    ["2026-01-31T10:00:00.000Z", 2, "2026-02-28T10:00:00.000Z"],
    ["2026-01-31T10:00:00.000Z", 3, "2026-03-31T10:00:00.000Z"],
    ["2026-12-15T00:00:00.000Z", 1, "2026-12-15T00:00:00.000Z"],
    ["2026-12-15T00:00:00.000Z", 14, "2028-01-15T00:00:00.000Z"]
  ])("for a contract of %s after %i months began %s", (begun, months, start) => {
    const anchor = Date.parse(begun)
    const end = monthsAfter(anchor, months)
    assert.deepStrictEqual(periodEnding(anchor, end), { start: Date.parse(start), end })
  })

  it("has no length when it ends where the contract began", () => {
    assert.deepStrictEqual(periodEnding(JUNE.start, JUNE.start), { start: JUNE.start, end: JUNE.start })
    const change = { from: 1, to: 9, customer: domestic, periods: [{ start: 5, end: 5 }], now: 5 }
    assert.deepStrictEqual(proration(change), { charge: 0, vat: 0 })
  })
})

describe("the open periods", () => {
  const begun = Date.UTC(2026, 0, 31)
  const [february, march, april] = [1, 2, 3].map((months) => monthsAfter(begun, months))

  it("are those that are not over, newest first", () => {
    const [first, second, third] = [
      { start: begun, end: february! },
      { start: february!, end: march! },
      { start: march!, end: april! }
    ]
    assert.deepStrictEqual(openPeriods(begun, april!, begun), [third, second, first])
    assert.deepStrictEqual(openPeriods(begun, april!, february! - 1), [third, second, first])
    assert.deepStrictEqual(openPeriods(begun, april!, february!), [third, second])
    assert.deepStrictEqual(openPeriods(begun, april!, march!), [third])
    assert.deepStrictEqual(openPeriods(begun, april!, april! + DAY), [third])
    assert.deepStrictEqual(openPeriods(begun, february!, begun - DAY), [first])
  })

  it("are charged for one by one", () => {
    const periods = openPeriods(begun, april!, begun)
    assert.deepStrictEqual(proration({ from: 499, to: 999, customer: domestic, periods, now: begun }).charge, 1_500)
    const half = (begun + february!) / 2
    assert.deepStrictEqual(proration({ from: 499, to: 999, customer: domestic, periods, now: half }).charge, 1_250)
  })
})

describe("the night", () => {
  it.each([0, 1, 59, 60, 119, 120, 4_711])("of instance %i comes once a day, between 2 and 4 o'clock", (id) => {
    const at = Date.UTC(2026, 5, 1, 12)
    const first = nextNight(at, id)
    assert.isAbove(first, at)
    assert.isAtMost(first, at + DAY)
    assert.strictEqual(nextNight(first, id), first + DAY)
    assert.strictEqual(nextNight(first - 1, id), first)
    const hour = (first % DAY) / 3_600_000
    assert.isTrue(hour >= 2 && hour < 4)
  })
})
