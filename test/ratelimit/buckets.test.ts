/** Callers remembered in memory: bounded, and an IPv6 network is one caller. */
import { assert, describe, it } from "@effect/vitest"
import type { Rate } from "#service/domain/Gcra"
import { Buckets } from "#service/ratelimit/Buckets"
import { subjectOf } from "#service/ratelimit/RequestRateLimits"

const RATE: Rate = { name: "test", quota: 60, windowMillis: 60_000, burst: 2 }

const take = (buckets: Buckets, caller: string, now: number): boolean => {
  const standing = buckets.check(caller, now)
  if (standing.allowed) buckets.take(caller, standing, now)
  return standing.allowed
}

describe("buckets", () => {
  it("count each caller alone", () => {
    const buckets = new Buckets(RATE, 100)
    assert.deepStrictEqual(["a", "a", "a", "b"].map((caller) => take(buckets, caller, 0)), [true, true, false, true])
    buckets.clear()
    assert.isTrue(take(buckets, "a", 0))
  })

  it("hold no more than they may: first those go who are as good as new", () => {
    const buckets = new Buckets(RATE, 3)
    for (const caller of ["a", "b", "c"]) take(buckets, caller, 0)
    take(buckets, "b", 900)
    take(buckets, "d", 1_000)
    assert.strictEqual(buckets.size, 2)
    assert.deepInclude(buckets.check("b", 1_000), { remaining: 0 })
  })

  it("make no room for whom they know", () => {
    const buckets = new Buckets(RATE, 2)
    for (const caller of ["a", "b", "b"]) take(buckets, caller, 0)
    assert.strictEqual(buckets.size, 2)
    assert.deepInclude(buckets.check("a", 0), { remaining: 0 })
  })

  it("in a flood forget whom they have known longest, and never grow", () => {
    const buckets = new Buckets(RATE, 100)
    for (let index = 0; index < 10_000; index++) take(buckets, `caller-${index}`, 0)
    assert.strictEqual(buckets.size, 100)
    assert.deepInclude(buckets.check("caller-9999", 0), { remaining: 0 })
    assert.deepInclude(buckets.check("caller-0", 0), { remaining: 1 })
  })
})

describe("a caller", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::9", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["2001:0db8:0000:0000::1", "2001:db8:0:0"],
    ["2001:db8:1:2:3::", "2001:db8:1:2"],
    ["2001:db8:1::2:3:4:5", "2001:db8:1:0"],
    ["2001:db8::a000:2:3:4:5", "2001:db8:0:a000"],
    ["::", "0:0:0:0"],
    ["::1", "0:0:0:0"],
    ["", ""]
  ])("at %s is known as %s", (address, caller) => {
    assert.strictEqual(subjectOf(address), caller)
  })
})
