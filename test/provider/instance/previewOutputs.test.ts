/** The costs of an instance as outputs: in the preview of the plugin, and in the state of both hosts. */
import { assert, describe, it } from "vitest"
import { type Properties, UNKNOWN } from "#provider/definition/Properties"
import { instanceLifecycle } from "#provider/instance/Instance"
import type { Session } from "#provider/session/Session"
import { Environment } from "../Environment.ts"
import { check, up, URN } from "../Runs.ts"
import { assertLike } from "../../support/like.ts"

const program = { serviceId: 1, hostname: "web.example.com" }

const preview = async (session: Session, inputs: Properties): Promise<Properties> => {
  const checked = await check(session, undefined, inputs)
  const { purchaseKey, ...costs } = await instanceLifecycle.previewOutputs!(session, checked)
  assert.strictEqual(purchaseKey, inputs["adoptInstanceId"] === undefined ? checked["__purchaseKey"] : "")
  return costs
}

describe("the outputs that a preview knows", () => {
  it.each<[string, Properties, Properties]>([
    ["a purchase", {}, { chargeAmount: 4.99, renewalPrice: 4.99 }],
    ["a coupon lowers the charge, not the renewals", { couponCode: "WELCOME10" }, {
      chargeAmount: 4.49,
      renewalPrice: 4.99
    }],
    ["an unknown coupon", { couponCode: UNKNOWN }, { renewalPrice: 4.99 }]
  ])("%s", async (_, inputs, costs) => {
    const env = await Environment.make()
    assert.deepStrictEqual(await preview(env.session(), { ...program, ...inputs }), {
      ...costs,
      billingCycle: "monthly",
      currency: "EUR",
      autoRenew: true,
      afterDestroy: "refused"
    })
  })
  it("an unknown plan has no costs", async () => {
    const env = await Environment.make()
    assert.deepStrictEqual(await preview(env.session(), { serviceId: UNKNOWN }), { afterDestroy: "refused" })
  })
  it("an existing instance has its own renewals: after a crash, and when it is adopted", async () => {
    const env = await Environment.make()
    const { outputs } = await up(env.session(), program)
    const { autoRenew, billingCycle, chargeAmount, currency, expiresAt, renewalPrice } = outputs
    const { createdAt, ipv4, ipv6, orderId, providerId, userId } = outputs
    // Outputs that never change are known, so that a resource that needs the address is not replaced.
    const stable = { createdAt, currency, ipv4, ipv6, orderId, providerId, userId }
    const costs = { autoRenew, billingCycle, expiresAt, renewalPrice, ...stable }
    assert.deepStrictEqual(await preview(env.session(), program), { ...costs, chargeAmount, afterDestroy: "refused" })
    const taken = { serviceId: 1, adoptInstanceId: 1, __urn: `${URN}-taken` }
    assert.deepStrictEqual(await preview(env.session(), taken), { ...costs, afterDestroy: "running" })
  })
})

describe("afterDestroy", () => {
  it.each<[Properties, Record<string, string>, Record<string, string>, string]>([
    [{}, {}, {}, "refused"],
    [{ deletionPolicy: "stop" }, {}, {}, "stopped"],
    [{ deletionPolicy: "forget" }, {}, {}, "running"],
    [{}, { deletionPolicy: "stop" }, {}, "stopped"],
    [{ deletionPolicy: "forget" }, {}, { VPS_DELETION_POLICY: "stop" }, "stopped"]
  ])("inputs %j, configuration %j, environment %j: %s", async (inputs, configured, environment, expected) => {
    const env = await Environment.make()
    const session = () => env.session(configured, environment)
    assert.strictEqual((await preview(session(), { ...program, ...inputs }))["afterDestroy"], expected)
    assert.strictEqual((await up(session(), { ...program, ...inputs })).outputs["afterDestroy"], expected)
  })
  it("follows a changed policy in the preview, the update and a refresh", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), program)
    const session = env.session()
    const inputs = await check(session, first.inputs, { ...program, deletionPolicy: "stop" })
    assertLike(await instanceLifecycle.previewOutputs!(session, inputs, first.outputs), {
      afterDestroy: "stopped"
    })
    const second = await up(env.session(), { ...program, deletionPolicy: "stop" }, first)
    assert.strictEqual(second.outputs["afterDestroy"], "stopped")
    const { afterDestroy: _, ...earlier } = first.outputs
    const seen = await instanceLifecycle.read(env.session({ deletionPolicy: "forget" }), first.id, earlier)
    assert.strictEqual(seen?.outputs["afterDestroy"], "running")
  })
  it("is in the state of a purchase that is not deployed yet", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), { ...program, timeouts: { create: "1s" } })
    assert.lengthOf(first.reasons, 1)
    assert.strictEqual(first.outputs["afterDestroy"], "refused")
  })
})
