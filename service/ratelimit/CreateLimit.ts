/** How often an account may create: counted in the create's own transaction, so that only what was bought counts. */
import * as Effect from "effect/Effect"
import { CreateLimitExceeded } from "../domain/Errors.ts"
import { ask, type Rate, refrained, type Standing } from "../domain/Gcra.ts"
import { CREATES_PER_HOUR, CREATES_PER_MINUTE } from "../Limits.ts"
import { CreateLimits } from "../persistence/CreateLimits.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** All of it may come at once: a stack of ten machines is one run of a program. */
const rate = (name: string, quota: number, windowMillis: number): Rate => ({ name, quota, windowMillis, burst: quota })

/** How the account stands with both limits; writes nothing. Fails with `CreateLimitExceeded`. */
export const admitCreate = Effect.fnUntraced(function*(accountId: number, now: number) {
  const own = yield* (yield* CreateLimits).find(accountId)
  const minute = ask(rate("create-minute", own.perMinute ?? CREATES_PER_MINUTE, MINUTE), own.minuteArrival, now)
  const hour = ask(rate("create-hour", own.perHour ?? CREATES_PER_HOUR, HOUR), own.hourArrival, now)
  const standings = [minute, hour] as const
  if (!minute.allowed || !hour.allowed) {
    return yield* new CreateLimitExceeded({ standings: standings.map(refrained) })
  }
  return standings
})

/** Takes the create's token from both. */
export const takeCreate = Effect.fnUntraced(function*(
  accountId: number,
  [minute, hour]: readonly [minute: Standing, hour: Standing]
) {
  // Stored in whole milliseconds, in the customer's favour.
  yield* (yield* CreateLimits).take(accountId, Math.floor(minute.arrival), Math.floor(hour.arrival))
})
