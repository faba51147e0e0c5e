/** Sows the seed at the moment at which it begins. */
import * as Effect from "effect/Effect"
import { millisOf } from "../admin/InputSchemas.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { EmulatedTime } from "./EmulatedTime.ts"
import { isEmpty, seed } from "./Seed.ts"
import { Changes } from "./SeedChanges.ts"

/** Clears the ground, sows, and lets the clock begin: all of it, or nothing has happened. */
export const sow = Effect.fnUntraced(function*<R>(clear: Effect.Effect<void, never, R>) {
  const { clock } = yield* Changes
  const time = yield* EmulatedTime
  const { run } = yield* Transaction
  const now = millisOf(clock?.now)
  const beginning = yield* time.beginning({
    ...(now === null ? {} : { now }),
    ...(clock?.frozen === undefined ? {} : { frozen: clock.frozen })
  })
  // A clock that nobody has set is not stored: it is the machine's.
  const set = clock === undefined ? Effect.void : time.store
  yield* time.at(beginning, run(clear.pipe(Effect.andThen(seed), Effect.andThen(set))))
})

/** What somebody has done with an emulator's database stays. */
export const sowOnEmptyGround = Effect.flatMap(isEmpty, (empty) => empty ? sow(Effect.void) : Effect.void)
