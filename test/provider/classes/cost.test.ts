import { assert, describe, it } from "vitest"
import { type Renewing, summarize } from "#provider/classes/VpsServer"
import { assertLike } from "../../support/like.ts"

const monthly: Renewing = {
  renewalPrice: 4.99,
  billingCycle: "monthly",
  currency: "EUR",
  autoRenew: true,
  status: "running"
}

describe("the renewal costs of instances", () => {
  it("is summed per billing cycle and currency, without drift", () => {
    const tenth = { ...monthly, renewalPrice: 0.1 }
    assert.deepStrictEqual(
      summarize([tenth, { ...monthly, billingCycle: "yearly" }, tenth, { ...tenth, currency: "USD" }, tenth]),
      [
        { billingCycle: "monthly", currency: "EUR", renewals: 0.3, instances: 3 },
        { billingCycle: "monthly", currency: "USD", renewals: 0.1, instances: 1 },
        { billingCycle: "yearly", currency: "EUR", renewals: 4.99, instances: 1 }
      ]
    )
  })
  it.each<[string, Partial<Renewing>]>([
    ["does not renew itself", { autoRenew: false }],
    ["has failed", { status: "failed" }],
    ["has expired", { status: "expired" }],
    ["was deleted", { status: "deleted" }]
  ])("leaves out a server that %s", (_, change) => {
    assert.deepStrictEqual(summarize([monthly, { ...monthly, ...change }]), summarize([monthly]))
  })
  it("a stopped or suspended instance still renews", () => {
    assert.strictEqual(
      summarize([{ ...monthly, status: "stopped" }, { ...monthly, status: "suspended" }])[0]?.instances,
      2
    )
  })
  it("says when the currency is not known, and nothing for no servers", () => {
    assertLike(summarize([{ ...monthly, currency: undefined }]), [{ currency: "?", renewals: 4.99 }])
    assert.deepStrictEqual(summarize([]), [])
  })
})
