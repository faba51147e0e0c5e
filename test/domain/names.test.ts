import { assert, describe, it } from "@effect/vitest"
import { isHostName, isPtrTarget } from "#service/domain/HostName"

describe("host names, RFC 1123", () => {
  it.each(["web", "web-1", "1web", "a.b-c.example", "X.Y", "a".repeat(63), `${"a.".repeat(126)}a`])(
    "%s is one",
    (name) => {
      assert.isTrue(isHostName(name))
    }
  )

  it.each(["10.0.0.1", "127.1", "2130706433", "web.1", "example.0"])(
    "%s could be read as an address, so it is none",
    (name) => {
      assert.isFalse(isHostName(name))
      assert.isFalse(isPtrTarget(`${name}.`))
    }
  )

  it.each(["10.0.0.1.example", "0x7f", "web.1a", "1.a1"])("%s ends in a label with a letter, so it is one", (name) => {
    assert.isTrue(isHostName(name))
  })

  it.each(["", "-web", "web-", "a..b", ".a", "a.", "ü.example", "a_b", "a b", "a".repeat(64), `${"a.".repeat(126)}ab`])(
    "%s is none",
    (name) => assert.isFalse(isHostName(name))
  )

  it("a PTR target may be rooted by one dot", () => {
    assert.isTrue(isPtrTarget("web.example."))
    assert.isFalse(isPtrTarget("web.example.."))
    assert.isFalse(isPtrTarget("."))
  })
})
