/** The emulator's clock runs, stops, jumps, and resumes sleepers in the order of their times. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { VirtualClock } from "#service/emulator/VirtualClock"

/** A clock whose time is what it was set to. */
const handClock = () => {
  const state = { now: 1_000 }
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => state.now,
    currentTimeMillis: Effect.sync(() => state.now),
    currentTimeNanosUnsafe: () => BigInt(state.now) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(state.now) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(state.now) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(state.now) * 1_000_000n),
    sleep: () => Effect.never
  }
  return { state, clock }
}

/** Sleeps on the clock, and records when it resumes. */
const sleeper = (line: VirtualClock, millis: number, woken: Array<string>, name: string) =>
  Effect.sleep(millis).pipe(
    Effect.andThen(Effect.sync(() => void woken.push(`${name}@${line.currentTimeMillisUnsafe()}`))),
    Effect.provideService(Clock.Clock, line),
    Effect.forkChild({ startImmediately: true })
  )

const walkTo = (line: VirtualClock, target: number) =>
  Effect.gen(function*() {
    while (line.next !== undefined && line.next <= target) {
      line.moveTo(line.next)
      yield* Effect.yieldNow
    }
    line.moveTo(target)
  })

describe("a timeline", () => {
  it.effect("follows the other clock until it is frozen, and then continues from there", () =>
    Effect.gen(function*() {
      const { clock, state } = handClock()
      const line = new VirtualClock(clock)
      assert.strictEqual(line.currentTimeMillisUnsafe(), 1_000)
      state.now = 2_000
      line.stop()
      state.now = 5_000
      assert.deepStrictEqual([line.currentTimeMillisUnsafe(), line.stoppedAt, line.ahead], [2_000, 2_000, -3_000])
      line.moveTo(9_000)
      line.run()
      state.now = 5_010
      assert.deepStrictEqual([line.currentTimeMillisUnsafe(), line.stoppedAt, line.ahead], [9_010, undefined, 4_000])
      assert.strictEqual(line.currentTimeNanosUnsafe(), 9_010_000_000n)
    }))

  it.effect("resumes sleepers in the order of their times, and then of their start", () =>
    Effect.gen(function*() {
      const line = new VirtualClock(handClock().clock)
      line.stop()
      const woken: Array<string> = []
      const fibers = [
        yield* sleeper(line, 300, woken, "late"),
        yield* sleeper(line, 100, woken, "first"),
        yield* sleeper(line, 100, woken, "second"),
        yield* sleeper(line, 101, woken, "third")
      ]
      yield* walkTo(line, 1_200)
      assert.deepStrictEqual(woken, ["first@1100", "second@1100", "third@1101"])
      assert.strictEqual(line.next, 1_300)
      yield* Fiber.interruptAll(fibers)
      assert.isUndefined(line.next)
    }))

  it.effect("set to another time leaves what is left of each sleep", () =>
    Effect.gen(function*() {
      const line = new VirtualClock(handClock().clock)
      line.stop()
      const woken: Array<string> = []
      yield* sleeper(line, 100, woken, "a")
      line.set(50_000)
      assert.strictEqual(line.next, 50_100)
      line.set(10)
      yield* walkTo(line, 110)
      assert.deepStrictEqual(woken, ["a@110"])
    }))

  it.live("resumes sleepers by itself while it runs ahead", () =>
    Effect.gen(function*() {
      const line = new VirtualClock(yield* Clock.Clock)
      line.stop()
      line.moveTo(line.currentTimeMillisUnsafe() + 1e12)
      line.run()
      const before = line.currentTimeMillisUnsafe()
      yield* Effect.provideService(Effect.sleep(5), Clock.Clock, line)
      assert.isAtLeast(line.currentTimeMillisUnsafe(), before + 5)
    }))
})
