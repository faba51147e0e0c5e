/** Repeats are compared with the original, also after the service's secret was rotated. */
import { assert, describe, it } from "@effect/vitest"
import { fingerprint, mismatch } from "#service/idempotency/Fingerprint"
import { make } from "#service/Secret"

const FIRST = "first-secret-of-the-test-0123456789"
const SECOND = "second-secret-of-the-test-0123456789"

const BODY = { service_id: 1, hostname: "web-1", coupon: null }
const [{ markers: first }, { markers: both }, { markers: second }] = [
  make([FIRST]),
  make([SECOND, FIRST]),
  make([SECOND])
] as const

const stored = fingerprint(BODY, first[0])

describe("the fingerprint of a create", () => {
  it("names the fields in which a repeat differs; null equals absent", () => {
    assert.deepStrictEqual(mismatch(stored, { hostname: "web-1", service_id: 1 }, first), [])
    assert.deepStrictEqual(mismatch(stored, { ...BODY, hostname: "web-2", os: "debian-13" }, first), ["hostname", "os"])
  })

  it("is compared under the secret that made it, also when that is an older one", () => {
    assert.deepStrictEqual(mismatch(stored, BODY, both), [])
    assert.deepStrictEqual(mismatch(stored, { ...BODY, service_id: 2 }, both), ["service_id"])
  })

  it("of a version that stored no secret's id is compared under each", () => {
    const { "": _, ...bare } = JSON.parse(stored)
    const old = JSON.stringify(bare)
    assert.deepStrictEqual(mismatch(old, BODY, both), [])
    assert.deepStrictEqual(mismatch(old, { ...BODY, service_id: 2 }, both), ["service_id"])
  })

  it("cannot be compared without its secret, and then differs in nothing", () => {
    assert.deepStrictEqual(mismatch(stored, { service_id: 9 }, second), [])
  })
})
