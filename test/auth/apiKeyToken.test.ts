import { assert, describe, it } from "@effect/vitest"
import { generateToken, isWellFormed, redactKeys, tokenOf } from "#service/auth/ApiKeyToken"

describe("the text of an API key", () => {
  it("is a prefix, 32 base62 characters and a checksum of 6", () => {
    assert.match(generateToken(), /^vps_live_[0-9A-Za-z]{38}$/)
    assert.isTrue(isWellFormed(generateToken()))
    assert.notStrictEqual(generateToken(), generateToken())
  })

  it("has the CRC-32 of the body in base62 as its checksum", () => {
    assert.strictEqual(tokenOf("0".repeat(32)), `vps_live_${"0".repeat(32)}2wjyrI`)
  })

  it("any single mistyped character is detected without the database", () => {
    const token = generateToken()
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === "x" ? "y" : "x"
      assert.isFalse(isWellFormed(token.slice(0, at) + other + token.slice(at + 1)), `at ${at}`)
    }
  })

  it.each(["!", "-", " ", "ü", "\n"])("%j is not a base62 character, with any checksum", (other) => {
    const body = "0".repeat(31)
    for (const wrong of [`${other}${body}`, `${body}${other}`, `${body.slice(1, 17)}${other}${body.slice(16)}`]) {
      assert.isFalse(isWellFormed(tokenOf(wrong)))
    }
  })

  it.each([0, 1, 26, 31, 33, 64])("a body of %i characters is invalid, with any checksum", (length) => {
    assert.isFalse(isWellFormed(tokenOf("0".repeat(length))))
  })

  it("every base62 digit is valid, in the checksum too", () => {
    const seen = new Set(Array.from({ length: 500 }, () => generateToken().slice(9, 41)).join(""))
    assert.strictEqual(seen.size, 62)
    assert.strictEqual(tokenOf(`${"0".repeat(31)}Z`), `vps_live_${"0".repeat(31)}Z0FQ8ow`)
  })

  it.each(["", "vps_live_", "vps_test_", `${generateToken()}a`, generateToken().slice(1)])("%j is none", (text) => {
    assert.isFalse(isWellFormed(text))
  })
})

describe("a text that is logged", () => {
  it("shows of every key in it the prefix only, and is else as it was", () => {
    const [one, other] = [generateToken(), generateToken()]
    assert.strictEqual(redactKeys(`a ${one} b ${other}, c`), "a vps_live_REDACTED b vps_live_REDACTED, c")
    assert.strictEqual(redactKeys("no key in vps_test_123"), "no key in vps_test_123")
  })
})
