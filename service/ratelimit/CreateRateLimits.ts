/** Limits how often an account may create. Counted in the create's transaction, so that only purchases count. */
import * as Effect from "effect/Effect"
import { CreateLimitExceeded } from "../domain/Errors.ts"
import { check, type Rate, type Standing, withoutTaking } from "../domain/Gcra.ts"
import type { LimitValues } from "../config/Limits.ts"
import { Accounts, type Creates } from "../persistence/Accounts.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** The burst is the whole quota: a stack of ten instances is one run of a program. */
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

/** The standing of the account with both rates; writes nothing. Fails with `CreateLimitExceeded`. */
export const admitCreate = (own: Creates, rates: CreateRates, now: number) => {
  const minute = check(own.perMinute === null ? rates.minute : perMinute(own.perMinute), own.minuteArrival, now)
  const hour = check(own.perHour === null ? rates.hour : perHour(own.perHour), own.hourArrival, now)
  const standings = [minute, hour] as const
  return minute.allowed && hour.allowed
    ? Effect.succeed(standings)
    : Effect.fail(new CreateLimitExceeded({ standings: standings.map(withoutTaking) }))
}

/** Takes the create from both rates. */
export const takeCreate = Effect.fnUntraced(function*(
  accountId: number,
  [minute, hour]: readonly [minute: Standing, hour: Standing]
) {
  // Stored in whole milliseconds, in the customer's favour.
  yield* (yield* Accounts).setCreateArrivals(accountId, Math.floor(minute.arrival), Math.floor(hour.arrival))
})
