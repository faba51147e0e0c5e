/** The gate: work is counted from `enter` to `leave`, and while the gate is closed no work enters. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { make } from "#service/tasks/Gate"

const start = <A>(work: Effect.Effect<A>) => Effect.forkChild(work, { startImmediately: true })

/** True if started work has ended by now. */
const ended = (work: Effect.Effect<void>) =>
  Effect.gen(function*() {
    const state = { ended: false }
    yield* start(Effect.andThen(work, Effect.sync(() => void (state.ended = true))))
    return Effect.map(Effect.yieldNow, () => state.ended)
  })

describe("a gate", () => {
  it.effect("is open and empty at first", () =>
    Effect.gen(function*() {
      const gate = make()
      yield* gate.enter
      yield* gate.leave
      yield* gate.empty
    }))

  it.effect("is empty once all fibers that entered have left", () =>
    Effect.gen(function*() {
      const gate = make()
      yield* gate.enter
      yield* gate.enter
      const empty = yield* ended(gate.empty)
      yield* gate.leave
      assert.isFalse(yield* empty)
      yield* gate.leave
      assert.isTrue(yield* empty)
    }))

  it.effect("when closed, admits no fiber until it opens, and then all that wait", () =>
    Effect.gen(function*() {
      const gate = make()
      yield* gate.close
      const [one, other] = [yield* ended(gate.enter), yield* ended(gate.enter)]
      yield* gate.empty
      assert.deepStrictEqual([yield* one, yield* other], [false, false])
      yield* gate.open
      assert.deepStrictEqual([yield* one, yield* other], [true, true])
      assert.isFalse(yield* yield* ended(gate.empty))
    }))

  it.effect("when closed, holds fibers that were notified by one that left", () =>
    Effect.gen(function*() {
      const gate = make()
      yield* gate.enter
      yield* gate.close
      const waiting = yield* ended(gate.enter)
      yield* gate.leave
      assert.isFalse(yield* waiting)
      yield* gate.empty
    }))
})
