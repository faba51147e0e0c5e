/** Sows the seed at the moment at which it begins. */
import * as Effect from "effect/Effect"
import { millisOf } from "../admin/InputSchemas.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { EmulatedClock } from "./EmulatedClock.ts"
import { isEmpty, seed } from "./Seed.ts"
import { SeedOverrides } from "./SeedOptions.ts"

/** Clears the ground, sows, and lets the clock begin: all of it, or nothing has happened. */
export const resetToSeed = Effect.fnUntraced(function*<R>(clear: Effect.Effect<void, never, R>) {
  const { clock } = yield* SeedOverrides
  const time = yield* EmulatedClock
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
export const seedIfEmpty = Effect.flatMap(isEmpty, (empty) => empty ? resetToSeed(Effect.void) : Effect.void)
