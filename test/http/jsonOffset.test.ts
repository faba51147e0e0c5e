import { assert, describe, it } from "@effect/vitest"
import { errorOffset } from "#service/http/decoding/JsonOffset"

describe("where a text stops being JSON", () => {
  it.each([
    ["{\"a\": }", 6],
    ["{\"a\": 1", 7],
    ["{\"a\" 1}", 5],
    ["{\"a", 3],
    ["{\"a\"", 4],
    ["{\"a\": tru}", 9],
    ["{\"a\": trux}", 9],
    ["{\"a\": \"x", 8],
    ["{\"a\": \"x\ny\"}", 8],
    ["{\"a\": \"\\u12\"}", 11],
    ["[\"a1\n\"]", 4],
    ["{\"a\": 1.x}", 8],
    ["{\"a\": 1.e5}", 8],
    ["{\"a\": 1e}", 8],
    ["{\"a\": 1e+}", 9],
    ["{\"a\": -}", 7],
    ["{\"a\": .5}", 6],
    ["{\"a\": 1,}", 8],
    ["{a: 1}", 1],
    ["[1, 2", 5],
    ["[1,, 2]", 3],
    ["[1 2]", 3],
    ["\"open", 5],
    ["tru", 3],
    ["01", 1],
    ["{} x", 3],
    ["[}", 1],
    ["{\"a\": \"\\x\"}", 8]
  ])("%j: at %i", (text, offset) => {
    assert.throws(() => JSON.parse(text))
    assert.strictEqual(errorOffset(text), offset)
  })

  it("does not tire of brackets", () => {
    assert.strictEqual(errorOffset("[".repeat(65_536)), 65_536)
  })
})
