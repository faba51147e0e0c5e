/** The checker of histories itself: what it must accept, what it must refuse. */
import { describe, expect, it } from "vitest"
import { type Call, check, type Model } from "../support/linearizability.ts"

type Input = { readonly write: number } | "read"
type Register = Call<Input, number>

/** A register that answers what it held before it was written. */
const register: Model<number, Input, number> = {
  initial: 0,
  step: (state, input, output) => {
    if (input !== "read") return input.write
    return output === undefined || output === state ? state : undefined
  },
  show: String
}

const write = (invoked: number, returned: number, value: number): Register => ({
  invoked,
  returned,
  input: { write: value },
  output: Number.isFinite(returned) ? 0 : undefined
})
const read = (invoked: number, returned: number, output: number): Register => ({
  invoked,
  returned,
  input: "read",
  output
})
const NEVER = Number.POSITIVE_INFINITY

const accepts = (history: ReadonlyArray<Register>) => check(history, register).linearizable

describe("a history is linearizable", () => {
  it.each<[string, ReadonlyArray<Register>]>([
    ["when there is none", []],
    ["when a read follows its write", [write(1, 2, 5), read(3, 4, 5)]],
    ["when a read that overlaps a write sees it", [write(1, 4, 5), read(2, 3, 5)]],
    ["when a read that overlaps a write does not see it yet", [write(1, 4, 5), read(2, 3, 0)]],
    ["when overlapping reads see two writes in one order", [
      write(1, 10, 1),
      write(2, 9, 2),
      read(3, 4, 1),
      read(5, 6, 2)
    ]],
    ["when an unanswered write is seen", [write(1, NEVER, 5), read(2, 3, 0), read(4, 5, 5)]],
    ["when an unanswered write is never seen", [write(1, NEVER, 5), read(2, 3, 0), read(4, 5, 0)]],
    ["whatever order it is told in", [read(3, 4, 5), write(1, 2, 5)]]
  ])("%s", (_, history) => expect(accepts(history)).toBe(true))
})

describe("a history is not linearizable", () => {
  it.each<[string, ReadonlyArray<Register>]>([
    ["when a read misses a write that was answered before it began", [write(1, 2, 5), read(3, 4, 0)]],
    ["when a read sees what nobody has written", [write(1, 4, 5), read(2, 3, 7)]],
    ["when a read sees a write that begins later", [read(1, 2, 5), write(3, 4, 5)]],
    ["when a second read sees less than the first", [write(1, 10, 5), read(2, 3, 5), read(4, 5, 0)]],
    ["when two reads see two writes in two orders", [
      write(1, 2, 1),
      write(3, 20, 2),
      read(4, 5, 2),
      read(6, 7, 1),
      read(8, 9, 2)
    ]],
    ["when an unanswered write is seen, and then not", [write(1, NEVER, 5), read(2, 3, 5), read(4, 5, 0)]]
  ])("%s", (_, history) => expect(accepts(history)).toBe(false))

  it("and the verdict says how far it can be explained, and what cannot come next", () => {
    const [first, second, third] = [write(1, 2, 5), read(3, 4, 5), read(5, 6, 4)]
    expect(check([first, second, third], register)).toEqual({
      linearizable: false,
      explained: [first, second],
      stuck: [third]
    })
  })
})

it("a long history with many at once is judged without trying every order", () => {
  const history = Array.from(
    { length: 60 },
    (_, round) =>
      Array.from({ length: 6 }, (_, one) => write(10 * round + one / 10, 10 * round + 5 + one / 10, 6 * round + one))
  ).flat()
  expect(accepts([...history, read(1_000, 1_001, 359)])).toBe(true)
  expect(accepts([...history, read(1_000, 1_001, 100)])).toBe(false)
})
