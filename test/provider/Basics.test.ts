import { describe, expect, it } from "vitest"
import { formatDuration, parseDuration } from "#provider/definition/ValueTypes"
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
  ])("%j is %s ms", (text, ms) => expect(parseDuration(text)).toBe(ms))
  it.each(
    [[90_000, "90s"], [600_000, "10m"], [500, "500ms"], [1_499, "1s"], [999.546875, "1s"], [12.3, "12ms"]] as const
  )("%d ms is %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})

describe("money", () => {
  it("is compared in minor units: sums of decimals don't drift", () => {
    expect(minor(0.1) + minor(0.2)).toBe(minor(0.3))
    expect(minor(4.35)).toBe(435)
  })
  it.each([[999, "9.99 EUR"], [5, "0.05 EUR"], [-5, "-0.05 EUR"], [100_000, "1000.00 EUR"]] as const)(
    "%d is %s",
    (units, text) => {
      expect(formatMinor(units, "EUR")).toBe(text)
    }
  )
  it("without a currency it is a bare amount", () => expect(formatAmount(9.9, undefined)).toBe("9.90"))
})

describe("a user error", () => {
  it("has a cause only if one is passed: Node would print `[cause]: undefined`", () => {
    expect(Object.hasOwn(new UserError("no state given"), "cause")).toBe(false)
    expect(new UserError("not bought", "lost").cause).toBe("lost")
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
    expect(ended.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"])
    expect(order.filter((line) => !line.startsWith("c"))).toEqual(["a begins", "a ends", "b begins", "b ends"])
    expect(order.indexOf("c begins")).toBeLessThan(order.indexOf("a ends"))
  })
})

describe("equality of properties", () => {
  it("does not depend on the order of fields, and takes absent and null for the same", () => {
    expect(same({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 })).toBe(true)
    expect(same(undefined, null)).toBe(true)
    expect(same([1, 2], [2, 1])).toBe(false)
    expect(same(1, "1")).toBe(false)
  })
})
