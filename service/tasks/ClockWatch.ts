/** Compares the time with its source at intervals, and logs when it is doubted and confirmed. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../config/Limits.ts"
import type { Doubt } from "../domain/ClockDoubt.ts"
import { bringForward } from "../operations/BringForward.ts"
import { ALWAYS, ClockTrust } from "../persistence/clock/ServiceClock.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { TaskQueue } from "./TaskQueue.ts"

const report = ({ reason }: Doubt) =>
  Effect.logError(
    `${reason} Renewals, expiry, deletions, and backups have stopped. Check the clock, then run: `
      + "vps-service admin clock confirm"
  )

const watch = Effect.gen(function*() {
  const trust = yield* ClockTrust
  // An emulator's clock is moved on purpose.
  if (trust === ALWAYS) return
  const { CLOCK_CHECK_MILLIS } = yield* Limits
  const { notify } = yield* TaskQueue
  const { run } = yield* Transaction
  // Until it has read the confirmation, this process schedules work by the wrong time.
  const confirmed = Effect.gen(function*() {
    yield* Effect.logInfo("The time was confirmed.")
    yield* run(Effect.flatMap(Clock.currentTimeMillis, bringForward))
    yield* notify
  })
  let known: Doubt | null = null
  const tell = Effect.suspend(() => {
    const before = known
    known = trust.doubt()
    if (known !== null) return before === null ? report(known) : Effect.void
    return before === null ? Effect.void : confirmed
  })
  const check = Effect.andThen(trust.check, tell).pipe(
    Effect.catch(({ message }) => Effect.logWarning(`The time cannot be checked: ${message}`)),
    Effect.catchDefect((defect) => Effect.logWarning("The time cannot be checked", defect))
  )
  yield* Effect.forkScoped(
    Effect.andThen(tell, Effect.forever(Effect.andThen(Effect.sleep(CLOCK_CHECK_MILLIS), check)))
  )
})

export const layer = Layer.effectDiscard(watch)
