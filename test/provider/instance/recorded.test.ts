import { assert, describe, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { type Stored, up, URN } from "../Runs.ts"
import { DEPLOY_TIME, Environment } from "../Environment.ts"
import { assertLike, containing } from "../../support/like.ts"

const KEY = "pulumi-8ef94ab658a907a338c2f4e496051de6e6386decd0f7d35fe5e5d5eca4399801"
const program = { serviceId: 1, hostname: "web.example.com", rootPassword: "first-password" }

/** As version 0.1.0 left it: no epoch, no word of power, boot mode, ISO, triggers or rotation. */
const RECORDED: Stored = {
  id: "1",
  reasons: [],
  inputs: { ...program, __urn: URN, __purchaseKey: KEY },
  outputs: {
    ...program,
    __urn: URN,
    __purchaseKey: KEY,
    __declared: ["serviceId", "hostname", "rootPassword"],
    os: "debian-12",
    purchaseKey: KEY,
    userId: 1,
    orderId: 1,
    status: "running",
    providerId: "sim-1",
    ipv4: "198.18.0.1",
    autoRenew: true,
    expiresAt: "2026-04-01T12:00:00.000Z",
    createdAt: "2026-03-01T12:00:00.000Z",
    chargeAmount: 4.99,
    renewalPrice: 4.99,
    billingCycle: "monthly",
    currency: "EUR"
  }
}

const environment = async (): Promise<Environment> => {
  const env = await Environment.make()
  await env.buy({ service_id: 1, hostname: "web.example.com", root_password: "first-password" }, KEY)
  await env.advance(DEPLOY_TIME)
  return env
}

describe("a state that version 0.1.0 recorded", () => {
  it("has no changes, and needs no request", async () => {
    const env = await environment()
    assert.deepStrictEqual(await up(env.session(), program, RECORDED), RECORDED)
    assert.deepStrictEqual(env.calls, [])
  })
  it("is refreshed to itself", async () => {
    const seen = await instanceLifecycle.read((await environment()).session(), "1", RECORDED.outputs)
    // A later version shows the second address and the plan's slug, too.
    const added = { afterDestroy: "refused", ipv6: "2001:db8:0:1::1", plan: "vps-s" }
    assert.deepStrictEqual(seen!.outputs, { ...RECORDED.outputs, ...added })
    assert.deepStrictEqual(seen!.inputs, RECORDED.inputs)
  })
  it("takes the new inputs", async () => {
    const next = { ...program, serviceId: 2, powerState: "off", bootMode: "disk", isoId: 1, passwordRotation: "1" }
    const after = await up((await environment()).session(), next, RECORDED)
    assertLike(after, {
      reasons: [],
      outputs: { serviceId: 2, powerState: "off", rootPassword: (text: unknown) => !containing("first-password")(text) }
    })
  })
})
