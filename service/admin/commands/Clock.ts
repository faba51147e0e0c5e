/** The commands for the time of the service. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Limits } from "../../config/Limits.ts"
import { toTimestamp } from "../../domain/Timestamp.ts"
import { bringForward } from "../../operations/BringForward.ts"
import { inWords } from "../../domain/ClockDoubt.ts"
import { ClockTrust } from "../../persistence/clock/ServiceClock.ts"
import { ClockStates } from "../../persistence/ClockStates.ts"
import { Instances } from "../../persistence/Instances.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { WorkerNotifier } from "../../runtime/WorkerNotifier.ts"
import { millisOf, reject } from "../Input.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

/** More are counted as this many. */
const COUNTED_MAX = 10_000

/** The time of the service, what its clock says, and what will be due once the clock is confirmed. */
export const showClock = Effect.gen(function*() {
  const { check, doubt, sourceAhead } = yield* ClockTrust
  yield* check
  const now = yield* Clock.currentTimeMillis
  const clock = now + sourceAhead()
  const { subscriptions } = yield* Instances
  const found = doubt()
  return {
    trusted: found === null,
    time: toTimestamp(now),
    clock: toTimestamp(clock),
    reason: found?.reason ?? null,
    in_doubt_since: found === null ? null : toTimestamp(found.since),
    periods_ending: (yield* subscriptions.endings.ids(clock, COUNTED_MAX)).length,
    deletions_due: (yield* subscriptions.deletions.ids(clock, COUNTED_MAX)).length
  }
})

/** Ends the doubt: from now on the service follows its clock again. The operator's own time must agree with it. */
export const confirmClock = Effect.fnUntraced(function*({ time }: InputOf<"clock.confirm">) {
  const { check, sourceAhead } = yield* ClockTrust
  const { CLOCK_CONFIRM_MILLIS } = yield* Limits
  if (yield* check) return yield* reject("The time is trusted. There is nothing to confirm.")
  const clock = (yield* Clock.currentTimeMillis) + sourceAhead()
  const difference = Math.abs(millisOf(time)! - clock)
  if (difference > CLOCK_CONFIRM_MILLIS) {
    return yield* reject(
      `The clock says ${toTimestamp(clock)}, which differs from ${time} by ${inWords(difference)}. `
        + "Correct the clock first, then confirm it."
    )
  }
  const states = yield* ClockStates
  yield* (yield* Transaction).run(
    Effect.andThen(Effect.andThen(states.endOutage(clock), states.confirm(clock)), bringForward(clock))
  )
  yield* check
  yield* (yield* WorkerNotifier).notify
  return yield* showClock
})

export const CLOCK_USE_CASES = {
  "clock.show": () => showClock,
  "clock.confirm": confirmClock
} satisfies UseCases
