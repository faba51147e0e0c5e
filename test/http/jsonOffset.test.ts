import { assert, describe, it } from "@effect/vitest"
import { errorOffset } from "#service/http/decoding/JsonOffset"

describe("where a text stops being JSON", () => {
  it.each([
    ["{\"a\": }", 6],
    ["{\"a\": 1", 7],
    ["{\"a\" 1}", 1],
    ["{\"a\": 1,}", 8],
    ["{a: 1}", 1],
    ["[1, 2", 5],
    ["[1,, 2]", 3],
    ["[1 2]", 3],
    ["\"open", 0],
    ["tru", 0],
    ["01", 1],
    ["{} x", 3],
    ["[}", 1],
    ["{\"a\": \"\\x\"}", 6]
  ])("%j: at %i", (text, offset) => {
    assert.throws(() => JSON.parse(text))
    assert.strictEqual(errorOffset(text), offset)
  })

  it("does not tire of brackets", () => {
    assert.strictEqual(errorOffset("[".repeat(65_536)), 65_536)
  })
})
