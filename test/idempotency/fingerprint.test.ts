/** How a repeat is compared with the original (service.md §3): by marks of its fields, which show nothing. */
import { assert, describe, it } from "@effect/vitest"
import { fingerprint, mismatch } from "#service/idempotency/Fingerprint"
import { make } from "#service/Secret"

const SECRET = make(["a-secret-of-the-tests-0123456789abcdef"])
const of = (body: Parameters<typeof fingerprint>[0]) => fingerprint(body, SECRET)

describe("a fingerprint", () => {
  it("takes null and undefined for absent, and no other value", () => {
    assert.strictEqual(of({ service_id: 1, hostname: null, os: undefined }), of({ service_id: 1 }))
    assert.notStrictEqual(of({ service_id: 1, hostname: "" }), of({ service_id: 1 }))
    assert.notStrictEqual(of({ service_id: 0 }), of({}))
  })

  it("is the same in whatever order the fields come", () => {
    assert.strictEqual(of({ os: "debian-12", service_id: 1 }), of({ service_id: 1, os: "debian-12" }))
  })

  it("shows no value, and the same value in two fields does not look the same", () => {
    const text = of({ hostname: "hunter2", os: "hunter2" })
    assert.notInclude(text, "hunter2")
    const { hostname, os } = JSON.parse(text)
    assert.notStrictEqual(hostname, os)
  })

  it("names what was changed, added and left out, in alphabetical order", () => {
    const [before, after] = [
      of({ service_id: 1, os: "debian-12", b: "same" }),
      of({ b: "same", service_id: 2, a: "x" })
    ]
    assert.deepStrictEqual(mismatch(before, after), ["a", "os", "service_id"])
    assert.deepStrictEqual(mismatch(before, before), [])
  })
})
