import { assert, describe, it } from "@effect/vitest"
import { fromBody, isWellFormed, mint } from "#service/auth/ApiKeyToken"

describe("the text of an API key", () => {
  it("is a prefix, 32 base62 characters and a checksum of 6", () => {
    assert.match(mint(), /^vps_live_[0-9A-Za-z]{38}$/)
    assert.isTrue(isWellFormed(mint()))
    assert.notStrictEqual(mint(), mint())
  })

  it("golden value: the checksum is the CRC-32 of the body in base62", () => {
    assert.strictEqual(fromBody("0".repeat(32)), `vps_live_${"0".repeat(32)}2wjyrI`)
  })

  it("any single mistyped character is noticed before the database is asked", () => {
    const token = mint()
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === "x" ? "y" : "x"
      assert.isFalse(isWellFormed(token.slice(0, at) + other + token.slice(at + 1)), `at ${at}`)
    }
  })

  it.each(["", "vps_live_", "vps_test_", `${mint()}a`, mint().slice(1)])("%j is none", (text) => {
    assert.isFalse(isWellFormed(text))
  })
})
