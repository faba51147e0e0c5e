import { assert, describe, it } from "@effect/vitest"
import { memoize } from "#service/domain/Memoize"

describe("a memoized function", () => {
  it("computes each result once, and again after it has forgotten all of as many as it remembers", () => {
    const computed: Array<number> = []
    const text = memoize((number: number) => {
      computed.push(number)
      return `no. ${number}`
    }, 2)
    assert.deepStrictEqual([1, 2, 1, 2].map(text), ["no. 1", "no. 2", "no. 1", "no. 2"])
    assert.deepStrictEqual(computed, [1, 2])
    assert.strictEqual(text(3), "no. 3")
    assert.deepStrictEqual([text(3), text(1)], ["no. 3", "no. 1"])
    assert.deepStrictEqual(computed, [1, 2, 3, 1])
  })
})
