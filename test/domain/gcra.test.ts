/** GCRA: a burst at once, then a steady rate; never more than both allow, in any pattern. */
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { check, isAhead, type Rate, withoutTaking } from "#service/domain/Gcra"

const RATE: Rate = { name: "test", quota: 600, windowMillis: 60_000, burst: 120 }

/** Sends requests at these times; returns which were allowed. */
const letIn = (rate: Rate, moments: ReadonlyArray<number>): ReadonlyArray<boolean> => {
  let arrival = 0
  return moments.map((now) => {
    const standing = check(rate, arrival, now)
    if (standing.allowed) arrival = standing.arrival
    return standing.allowed
  })
}

const at = (moment: number, count: number): ReadonlyArray<number> => Array.from({ length: count }, () => moment)
const count = (list: ReadonlyArray<boolean>): number => list.filter(Boolean).length

describe("a rate", () => {
  it("of none allows none, and says when to look again", () => {
    const none = { name: "none", quota: 0, windowMillis: 60_000, burst: 0 }
    const standing = { rate: none, allowed: false, arrival: 0, remaining: 0, resetMillis: 60_000, retryMillis: 60_000 }
    assert.deepStrictEqual(check(none, 0, 1_000), standing)
    assert.isFalse(isAhead(none, 5_000, 1_000))
  })

  it("lets a whole burst in at once, and nothing more", () => {
    assert.strictEqual(count(letIn(RATE, at(1_000, 500))), 120)
  })

  it("then lets one in per interval: every 100 ms at 600 a minute", () => {
    const allowed = letIn(RATE, [...at(0, 120), 99, 100, 101, 199, 200])
    assert.deepStrictEqual(allowed.slice(120), [false, true, false, false, true])
  })

  it("gives the whole burst back after as long as it took", () => {
    assert.strictEqual(count(letIn(RATE, [...at(0, 120), ...at(12_000, 121)])), 240)
  })

  it("says what is left, when all of it is back, and when to come again", () => {
    const first = check(RATE, 0, 5_000)
    assert.deepInclude(first, { allowed: true, remaining: 119, resetMillis: 100, retryMillis: 0, arrival: 5_100 })
    const last = check(RATE, 5_000 + 119 * 100, 5_000)
    assert.deepInclude(last, { allowed: true, remaining: 0, resetMillis: 12_000 })
    const beyond = check(RATE, 5_000 + 120 * 100, 5_040)
    assert.deepInclude(beyond, { allowed: false, remaining: 0, resetMillis: 11_960, retryMillis: 60 })
  })

  it("takes nothing from who is let in here and refused by another rate", () => {
    assert.deepInclude(withoutTaking(check(RATE, 0, 5_000)), { allowed: true, remaining: 120, resetMillis: 0 })
    const shutOut = check(RATE, 5_000 + 120 * 100, 5_000)
    assert.deepStrictEqual(withoutTaking(shutOut), shutOut)
  })

  it("rejects no request because of a rounded half millisecond", () => {
    assert.isTrue(check(RATE, 5_000.5 + 119 * 100, 5_000).allowed)
    assert.isFalse(check(RATE, 5_000.6 + 119 * 100, 5_000).allowed)
  })

  it("is ahead when it is later than a whole burst from now, which no clock that was right has stored", () => {
    const now = 5_000
    const latest = check(RATE, now + 119 * 100, now).arrival
    assert.strictEqual(latest, now + 12_000)
    for (const arrival of [0, now, latest, latest + 0.5]) assert.isFalse(isAhead(RATE, arrival, now))
    assert.isTrue(isAhead(RATE, latest + 0.6, now))
  })

  it("rejects for at most the time of the burst, even after the clock was set back", () => {
    const standing = check(RATE, 1e12, 5_000)
    assert.deepInclude(standing, { allowed: false, retryMillis: 100 })
  })

  it.each([[10, 60_000], [60, 3_600_000], [7, 60_000], [1, 1_000]])(
    "of %i per %i ms never lets more in",
    (quota, ms) => {
      const rate: Rate = { name: "r", quota, windowMillis: ms, burst: quota }
      const moments = Array.from({ length: 400 }, (_, index) => Math.floor(index * ms / 100))
      const windows = 4
      assert.isAtMost(count(letIn(rate, moments)), quota + quota * windows)
    }
  )

  const Moments = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 })))

  it.prop("admits at most the burst and the requests available since, at any time", [Moments], ([moments]) => {
    const rate: Rate = { name: "r", quota: 10, windowMillis: 1_000, burst: 3 }
    const sorted = moments.toSorted((a, b) => a - b)
    const allowed = letIn(rate, sorted)
    const times = sorted.filter((_, index) => allowed[index])
    for (const [first, from] of times.entries()) {
      for (let last = first; last < times.length; last++) {
        assert.isAtMost(last - first + 1, 3 + Math.floor((times[last]! - from) / 100))
      }
    }
  })
})
