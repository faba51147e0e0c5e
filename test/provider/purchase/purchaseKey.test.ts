import { assert, describe, it } from "vitest"
import { purchaseKey, purchaseKeyDigest } from "#provider/purchase/PurchaseKey"

const identity = {
  prefix: "pulumi" as const,
  scope: "",
  urn: "urn:pulumi:prod::shop::vps:index:Instance::web",
  generation: 1
}

describe("purchase key", () => {
  it("is this very text for ever: another one would buy again after an upgrade of the package", () => {
    assert.strictEqual(purchaseKey(identity), "pulumi-8ef94ab658a907a338c2f4e496051de6e6386decd0f7d35fe5e5d5eca4399801")
  })
  it("differs by host, scope, URN and generation, however their texts run together", () => {
    const keys = [
      identity,
      { ...identity, scope: "a" },
      { ...identity, urn: `${identity.urn}a` },
      { ...identity, generation: 2 },
      { ...identity, prefix: "terraform" as const },
      { ...identity, scope: "a", urn: identity.urn.slice(1) }
    ].map(purchaseKey)
    assert.strictEqual(new Set(keys).size, keys.length)
  })
  it("is a valid Idempotency-Key: 1 to 255 visible ASCII characters", () => {
    assert.match(
      purchaseKey({ ...identity, scope: "süd", urn: `${identity.urn}-${"x".repeat(999)}` }),
      /^[!-~]{1,255}$/
    )
  })
  it("its digest is what the service shows in order.config", () => {
    assert.strictEqual(purchaseKeyDigest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  })
})
