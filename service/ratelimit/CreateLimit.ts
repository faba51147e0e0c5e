/** How often an account may create: counted in the create's own transaction, so that only what was bought counts. */
import * as Effect from "effect/Effect"
import { CreateLimitExceeded } from "../domain/Errors.ts"
import { ask, type Rate, refrained, type Standing } from "../domain/Gcra.ts"
import type { LimitValues } from "../config/Limits.ts"
import { Accounts, type Creates } from "../persistence/Accounts.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** All of it may come at once: a stack of ten machines is one run of a program. */
const rate = (name: string, windowMillis: number) => (quota: number): Rate => ({
  name,
  quota,
  windowMillis,
  burst: quota
})
const perMinute = rate("create-minute", MINUTE)
const perHour = rate("create-hour", HOUR)

/** The rates of nearly every account. Made once, because the headers of every answer are cached by rate. */
export const createRates = ({ CREATES_PER_HOUR, CREATES_PER_MINUTE }: LimitValues) => ({
  minute: perMinute(CREATES_PER_MINUTE),
  hour: perHour(CREATES_PER_HOUR)
})

export type CreateRates = ReturnType<typeof createRates>

/** How the account stands with both limits; writes nothing. Fails with `CreateLimitExceeded`. */
export const admitCreate = (own: Creates, rates: CreateRates, now: number) => {
  const minute = ask(own.perMinute === null ? rates.minute : perMinute(own.perMinute), own.minuteArrival, now)
  const hour = ask(own.perHour === null ? rates.hour : perHour(own.perHour), own.hourArrival, now)
  const standings = [minute, hour] as const
  return minute.allowed && hour.allowed
    ? Effect.succeed(standings)
    : Effect.fail(new CreateLimitExceeded({ standings: standings.map(refrained) }))
}

/** Takes the create's token from both. */
export const takeCreate = Effect.fnUntraced(function*(
  accountId: number,
  [minute, hour]: readonly [minute: Standing, hour: Standing]
) {
  // Stored in whole milliseconds, in the customer's favour.
  yield* (yield* Accounts).setCreateArrivals(accountId, Math.floor(minute.arrival), Math.floor(hour.arrival))
})
