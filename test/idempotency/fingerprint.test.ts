/**
 * A repeat is compared with the original by marks of its fields, which show nothing; also when the
 * service's secret was rotated since.
 */
import { assert, describe, it } from "@effect/vitest"
import { fingerprint, mismatch } from "#service/idempotency/Fingerprint"
import { make } from "#service/config/Secret"

const FIRST = "first-secret-of-the-test-0123456789"
const SECOND = "second-secret-of-the-test-0123456789"

const BODY = { service_id: 1, hostname: "web-1", coupon: null }
const [{ markers: first }, { markers: both }, { markers: second }] = [
  make([FIRST]),
  make([SECOND, FIRST]),
  make([SECOND])
] as const

const of = (body: Parameters<typeof fingerprint>[0]) => fingerprint(body, first[0])
const stored = of(BODY)

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
    for (const markers of [both, both.toReversed()]) {
      assert.deepStrictEqual(mismatch(old, BODY, markers), [])
      assert.deepStrictEqual(mismatch(old, { ...BODY, service_id: 2 }, markers), ["service_id"])
    }
  })

  it("cannot be compared without its secret, and then differs in nothing", () => {
    assert.deepStrictEqual(mismatch(stored, { service_id: 9 }, second), [])
  })
})

describe("a fingerprint", () => {
  it("takes null and undefined for absent, and no other value", () => {
    assert.strictEqual(of({ service_id: 1, hostname: null, os: undefined }), of({ service_id: 1 }))
    assert.notStrictEqual(of({ service_id: 1, hostname: "" }), of({ service_id: 1 }))
    assert.notStrictEqual(of({ service_id: 0 }), of({}))
  })

  it("is the same for any order of the fields", () => {
    assert.strictEqual(of({ os: "debian-12", service_id: 1 }), of({ service_id: 1, os: "debian-12" }))
  })

  it("shows no value, and the same value in two fields does not look the same", () => {
    const text = of({ hostname: "hunter2", os: "hunter2" })
    assert.notInclude(text, "hunter2")
    const { hostname, os } = JSON.parse(text)
    assert.notStrictEqual(hostname, os)
  })

  it("names what was changed, added and left out, in alphabetical order", () => {
    const before = { service_id: 1, os: "debian-12", b: "same" }
    assert.deepStrictEqual(mismatch(of(before), { b: "same", service_id: 2, a: "x" }, first), ["a", "os", "service_id"])
    assert.deepStrictEqual(mismatch(of(before), before, first), [])
  })
})
