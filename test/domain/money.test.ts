import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { asText, fraction, fromAmount, toAmount } from "#service/domain/Money"
import { chargeOf, price, toPricing } from "#service/domain/Vat"

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
  ])("golden value: %i at %i basis points is %i + %i", (gross, rate, vat, net) => {
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
