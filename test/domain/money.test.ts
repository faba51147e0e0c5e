/** Money, coupons, and the price of a part of a period. */
import * as Schema from "effect/Schema"
import { assert, describe, it } from "@effect/vitest"
import { asText, fraction, fromAmount, toAmount } from "#service/domain/Money"
import { chargeOf, price, toPricing } from "#service/domain/Vat"
import { type Coupon, couponProblem, discountOn } from "#service/domain/Coupon"
import { monthsAfter, nextPeriodEnd, openPeriods, periodEnding } from "#service/domain/Period"
import { nextNight } from "#service/domain/BackupNight"
import { proration } from "#service/domain/Proration"
import { toOptionalTimestamp, toTimestamp } from "#service/domain/Timestamp"
import { type Treatment, TREATMENTS } from "#service/contract/Words"

const Minor = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))

describe("money", () => {
  it("is a JSON number with at most two decimals on the wire", () => {
    assert.strictEqual(toAmount(999), 9.99)
    assert.strictEqual(fromAmount(9.99), 999)
    assert.strictEqual(fromAmount(1000), 100_000)
  })

  it("is written for people with all its cents", () => {
    assert.deepStrictEqual([4.9, 5, 0.01, 1_000].map(asText), ["4.90", "5.00", "0.01", "1000.00"])
  })

  it("refuses amounts with more than two decimals or beyond exact integers", () => {
    for (const amount of [9.999, Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
      assert.strictEqual(fromAmount(amount), undefined, String(amount))
    }
  })

  it("rounds fractions half up", () => {
    assert.strictEqual(fraction(5, 1, 10), 1)
    assert.strictEqual(fraction(4, 1, 10), 0)
    assert.strictEqual(fraction(9_007_199_254_740_991, 1, 1), 9_007_199_254_740_991)
  })

  it.prop("goes to the wire and back unchanged", [Minor], ([minor]) => {
    assert.strictEqual(fromAmount(toAmount(minor)), minor)
  })
})

describe("VAT", () => {
  it.each([
    [999, 2000, 167, 832],
    [999, 1900, 160, 839],
    [499, 2100, 87, 412]
  ])("of %i at %i basis points is %i, and the net price %i", (gross, rate, vat, net) => {
    assert.deepInclude(price(gross, { treatment: "domestic", rate }), { vat, net, charge: gross, display: gross })
  })

  it.each(["reverse_charge", "outside_scope"] as const)(
    "%s charges and shows the net of the home rate",
    (treatment) => {
      assert.deepInclude(price(999, { treatment, rate: 2500 }), { vat: 0, rate: 0, charge: 839, display: 839 })
    }
  )

  it.each(
    [
      ["domestic", 999],
      ["oss", 999],
      ["reverse_charge", 839],
      ["outside_scope", 839],
      ["exempt", 839]
    ] as const
  )("the price list of a customer who is %s shows %i", (treatment, display) => {
    assert.strictEqual(price(999, { treatment, rate: 2100 }).display, display)
    assert.strictEqual(toPricing(price(999, { treatment, rate: 2100 })).display_amount, display / 100)
  })

  it("writes the rate in percent", () => {
    assert.deepStrictEqual(toPricing(price(999, { treatment: "domestic", rate: 1900 })), {
      gross: 9.99,
      net: 8.39,
      vat_rate: 19,
      vat_amount: 1.6,
      treatment: "domestic",
      charge_amount: 9.99,
      display_amount: 9.99
    })
  })

  it.each(
    [
      ["domestic", { charge: 899, vat: 144 }],
      ["oss", { charge: 899, vat: 144 }],
      ["reverse_charge", { charge: 899, vat: 0 }],
      ["outside_scope", { charge: 899, vat: 0 }],
      ["exempt", { charge: 899, vat: 0 }]
    ] as const
  )("what is left to pay holds VAT for %s only if the customer pays VAT", (treatment, expected) => {
    assert.deepStrictEqual(chargeOf(899, { treatment, rate: 1900 }), expected)
  })

  it.prop("net and VAT always add up to the gross price", [Minor], ([gross]) => {
    const { net, vat } = price(gross, { treatment: "oss", rate: 2100 })
    assert.strictEqual(net + vat, gross)
  })
})

const COUPON: Coupon = {
  code: "C",
  kind: "percent",
  value: 1_000,
  currency: null,
  validFrom: null,
  validUntil: null,
  maxUses: null,
  oncePerAccount: false,
  uses: 0
}

describe("a discount", () => {
  it.each(
    [
      [{ value: 1_000 }, 999, 100],
      [{ value: 1_000 }, 995, 100],
      [{ value: 1_000 }, 994, 99],
      [{ value: 5_000 }, 1, 1],
      [{ value: 10_000 }, 499, 499],
      [{ kind: "fixed", value: 500, currency: "EUR" }, 999, 500],
      [{ kind: "fixed", value: 500, currency: "EUR" }, 499, 499],
      [{ kind: "fixed", value: 500, currency: "EUR" }, 0, 0]
    ] as const
  )("of %j on %i is %i: rounded half up, capped at the price", (coupon, amount, discount) => {
    assert.strictEqual(discountOn(amount, { ...COUPON, ...coupon }), discount)
  })

  it.each(
    [
      [{ validUntil: 10 }, { at: 9 }, undefined],
      [{ validUntil: 10 }, { at: 10 }, "has expired"],
      [{ validFrom: 10 }, { at: 9 }, "not valid yet"],
      [{ validFrom: 10 }, { at: 10 }, undefined],
      [{ maxUses: 3, uses: 2 }, {}, undefined],
      [{ maxUses: 3, uses: 3 }, {}, "usage limit"],
      [{ oncePerAccount: true }, { redeemedBefore: true }, "once per account"],
      [{ oncePerAccount: false }, { redeemedBefore: true }, undefined],
      [{ currency: "EUR" }, {}, undefined],
      [{ currency: "USD" }, {}, "priced in USD"]
    ] as const
  )("%j used at %j is refused: %s", (coupon, use, words) => {
    const found = couponProblem({ ...COUPON, ...coupon }, { at: 0, currency: "EUR", redeemedBefore: false, ...use })
    if (words === undefined) assert.isUndefined(found)
    else assert.include(found, words)
  })
})

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
