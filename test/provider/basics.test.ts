import { assert, describe, it } from "vitest"
import { formatDuration, parseDuration } from "#provider/definition/Definition"
import { formatAmount, formatMinor, minor } from "#provider/purchase/Money"
import { Mutex } from "#provider/waiting/Retry"
import { same } from "#provider/definition/Properties"
import { UserError } from "#provider/api/Errors"

describe("durations", () => {
  it.each<[string, number | undefined]>([
    ["90s", 90_000],
    ["10m", 600_000],
    ["1h30m", 5_400_000],
    ["500ms", 500],
    ["1.5s", 1_500],
    ["10", undefined],
    ["", undefined],
    ["-1s", undefined],
    ["1d", undefined],
    ["1s ", undefined]
  ])("%j is %s ms", (text, ms) => assert.strictEqual(parseDuration(text), ms))
  it.each(
    [[90_000, "90s"], [600_000, "10m"], [500, "500ms"], [1_499, "1s"], [999.546875, "1s"], [12.3, "12ms"]] as const
  )("%d ms is %s", (ms, text) => {
    assert.strictEqual(formatDuration(ms), text)
  })
})

describe("money", () => {
  it("is compared in minor units: sums of decimals don't drift", () => {
    assert.strictEqual(minor(0.1) + minor(0.2), minor(0.3))
    assert.strictEqual(minor(4.35), 435)
  })
  it.each([[999, "9.99 EUR"], [5, "0.05 EUR"], [-5, "-0.05 EUR"], [100_000, "1000.00 EUR"]] as const)(
    "%d is %s",
    (units, text) => {
      assert.strictEqual(formatMinor(units, "EUR"), text)
    }
  )
  it.each([Number.NaN, Number.NEGATIVE_INFINITY])("%d is refused", (amount) => {
    assert.throws(() => formatAmount(amount, "EUR"), "is not an amount of money")
  })
  it("without a currency it is a bare amount", () => assert.strictEqual(formatAmount(9.9, undefined), "9.90"))
})

describe("a user error", () => {
  it("has a cause only if one is passed: Node would print `[cause]: undefined`", () => {
    assert.isFalse(Object.hasOwn(new UserError("no state given"), "cause"))
    assert.strictEqual(new UserError("not bought", "lost").cause, "lost")
  })
})

describe("the mutex", () => {
  it("runs one at a time per name, in order, and continues after a failure", async () => {
    const mutex = new Mutex()
    const order: Array<string> = []
    const turn = (name: string, fail = false) => async () => {
      order.push(`${name} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      order.push(`${name} ends`)
      if (fail) throw new Error("it failed")
    }
    const ended = await Promise.allSettled([
      mutex.run("1", turn("a", true)),
      mutex.run("1", turn("b")),
      mutex.run("2", turn("c"))
    ])
    assert.deepStrictEqual(ended.map(({ status }) => status), ["rejected", "fulfilled", "fulfilled"])
    assert.deepStrictEqual(order.filter((line) => !line.startsWith("c")), ["a begins", "a ends", "b begins", "b ends"])
    assert.isBelow(order.indexOf("c begins"), order.indexOf("a ends"))
  })
})

describe("equality of properties", () => {
  it("does not depend on the order of fields, and takes absent and null for the same", () => {
    assert.isTrue(same({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }))
    assert.isTrue(same(undefined, null))
    assert.isFalse(same([1, 2], [2, 1]))
    assert.isFalse(same(1, "1"))
  })
})
