/** The rule for money at risk, on the charges of one account. */
import { assert, describe, it } from "vitest"
import { FORECAST_DAYS, forecastOf, riskOf } from "#service/billing/MoneyAtRisk"
import type { Renewing } from "#service/persistence/Overview"

const one = (instanceId: number, expiresAt: number, price: number, more: Partial<Renewing> = {}): Renewing => ({
  instanceId,
  hostname: `web-${instanceId}`,
  accountId: 1,
  wallet: 1_000,
  currency: "EUR",
  vat: { treatment: "domestic", rate: 1_900 },
  price,
  nextPrice: null,
  nextPriceFrom: null,
  paidFrom: 0,
  pausedMillis: 0,
  expiresAt,
  graceUntil: null,
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
  it("keeps an expired instance until it is deleted, and is due at the first end", () => {
    const risk = riskOf([one(1, 1, 1_200, { graceUntil: 90 }), one(2, 50, 900), one(3, 60, 200)])
    assert.deepStrictEqual(risk?.unpaid.map(({ instanceId }) => instanceId), [1, 3])
    assert.deepInclude(risk, { until: 60, deletion: 90, missing: 1_300 })
  })
})

const DAY = 86_400_000

describe("the forecast", () => {
  const start = Date.parse("2026-01-31T00:00:00Z")
  const at = (text: string) => Date.parse(`${text}T00:00:00Z`)

  it("has the charges of all instances in order, each month, and the balance after them", () => {
    const renewals = [
      one(1, at("2026-02-28"), 400, { paidFrom: start }),
      one(2, at("2026-02-15"), 300, { paidFrom: at("2026-01-15") })
    ]
    assert.deepStrictEqual(
      forecastOf(renewals, start).map((
        { at, balance, instanceId }
      ) => [new Date(at).toISOString().slice(5, 10), instanceId, balance]),
      [["02-15", 2, 700], ["02-28", 1, 300], ["03-15", 2, 0], ["03-31", 1, -400]]
    )
  })
  it("has an announced price from its day on, and a period of an expired one from now on", () => {
    const renewals = [one(1, at("2026-02-10"), 400, {
      paidFrom: at("2026-01-10"),
      nextPrice: 500,
      nextPriceFrom: at("2026-03-01")
    })]
    assert.deepStrictEqual(forecastOf(renewals, start).map(({ charge }) => charge), [400, 500])
    const now = at("2026-02-12")
    const expired = [one(1, at("2026-02-10"), 400, { paidFrom: at("2026-01-10"), graceUntil: at("2026-02-17") })]
    assert.deepStrictEqual(forecastOf(expired, now).map(({ at }) => (at - now) / DAY), [0, 28, 59])
    assert.isAbove(FORECAST_DAYS, 59)
  })
})
