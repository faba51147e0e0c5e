/** Pauses between attempts, and when retries are exhausted. */
import { assert, describe, it } from "@effect/vitest"
import { budgetOf, isExhausted, pauseAfter } from "#service/tasks/Retry"
import { DEFAULT_LIMITS } from "../support/limits.ts"

describe("the pause", () => {
  it.each([[1, 1_000], [2, 2_000], [3, 4_000], [6, 32_000], [7, 60_000], [40, 60_000], [2_000, 60_000]])(
    "after try %i is anything up to %i ms",
    (attempts, most) => {
      assert.strictEqual(pauseAfter(attempts, 0, DEFAULT_LIMITS), 0)
      assert.strictEqual(pauseAfter(attempts, 0.5, DEFAULT_LIMITS), most / 2)
      assert.isBelow(pauseAfter(attempts, 0.999_999, DEFAULT_LIMITS), most)
    }
  )
})

describe("the retry budget", () => {
  const task = (attempts: number, startedAt: number | null) => ({ attempts, startedAt, createdAt: 0 })
  const MINUTE = 60_000

  it.each([[9, false], [10, true], [11, true]])("of an operation ends after 10 tries: %i", (attempts, exhausted) => {
    assert.strictEqual(isExhausted(task(attempts, 0), budgetOf("default", DEFAULT_LIMITS), 0), exhausted)
  })
  it("of provisioning lasts for 30 minutes", () => {
    assert.isFalse(isExhausted(task(500, 0), budgetOf("persistent", DEFAULT_LIMITS), 30 * MINUTE - 1))
    assert.isTrue(isExhausted(task(500, 0), budgetOf("persistent", DEFAULT_LIMITS), 30 * MINUTE))
  })
  it("of provisioning has at least 10 tries, however long the service was away", () => {
    assert.isFalse(isExhausted(task(1, 0), budgetOf("persistent", DEFAULT_LIMITS), 24 * 60 * MINUTE))
    assert.isTrue(isExhausted(task(10, 0), budgetOf("persistent", DEFAULT_LIMITS), 24 * 60 * MINUTE))
  })
  it("of what a caller waited for is one try", () =>
    assert.isTrue(isExhausted(task(1, 0), budgetOf("single", DEFAULT_LIMITS), 0)))
  it("counts from the first try, not from the order", () => {
    assert.isFalse(isExhausted(task(10, 60 * MINUTE), budgetOf("persistent", DEFAULT_LIMITS), 61 * MINUTE))
  })
})
