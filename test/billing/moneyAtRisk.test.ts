/** The rule for money at risk, on the charges of one account. */
import { assert, describe, it } from "vitest"
import { riskOf } from "#service/billing/MoneyAtRisk"
import type { Renewing } from "#service/persistence/Overview"

const one = (instanceId: number, expiresAt: number, price: number, more: Partial<Renewing> = {}): Renewing => ({
  instanceId,
  hostname: `web-${instanceId}`,
  accountId: 1,
  wallet: 1_000,
  vat: { treatment: "domestic", rate: 1_900 },
  price,
  nextPrice: null,
  nextPriceFrom: null,
  expiresAt,
  ...more
})

const unpaid = (...renewals: ReadonlyArray<Renewing>) => riskOf(renewals)?.unpaid.map(({ instanceId }) => instanceId)

describe("money at risk", () => {
  it("is none without renewals, and where the wallet pays for all", () => {
    assert.isUndefined(riskOf([]))
    assert.isUndefined(riskOf([one(1, 5, 600), one(2, 6, 400)]))
  })
  it("is what the wallet does not pay for, in the order of the charges", () => {
    assert.deepStrictEqual(unpaid(one(1, 6, 600), one(2, 5, 600)), [1])
    assert.deepStrictEqual(unpaid(one(2, 5, 600), one(1, 5, 600)), [2], "of two at once, the earlier instance is paid")
  })
  it("leaves the money to later ones where one is not paid for", () => {
    assert.deepStrictEqual(unpaid(one(1, 1, 1_200), one(2, 2, 900)), [1])
  })
  it("has the sum that is missing, against all that is due", () => {
    const risk = riskOf([one(1, 1, 600), one(2, 2, 600), one(3, 3, 600)])
    assert.deepInclude(risk, { wallet: 1_000, missing: 800 })
    assert.deepStrictEqual(risk?.due.map(({ charge }) => charge), [600, 600, 600])
  })
  it("counts as the customer pays: without VAT, and with an announced price", () => {
    const vat = { treatment: "reverse_charge", rate: 0 } as const
    assert.isUndefined(unpaid(one(1, 5, 1_190, { vat })), "10.00 without 19 %")
    assert.deepStrictEqual(unpaid(one(1, 5, 900, { nextPrice: 1_100, nextPriceFrom: 5 })), [1])
    assert.isUndefined(unpaid(one(1, 5, 900, { nextPrice: 1_100, nextPriceFrom: 6 })), "it applies later")
  })
})
