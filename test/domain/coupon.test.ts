/** The discount of a coupon, and the reasons why it cannot be used. */
import { assert, describe, it } from "@effect/vitest"
import { type Coupon, couponProblem, discountOn } from "#service/domain/Coupon"

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
