/** Limits how often an account may create. Counted in the create's transaction, so that only purchases count. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { CreateLimitExceeded } from "../domain/Errors.ts"
import { check, isAhead, type Rate, type Standing, withoutTaking } from "../domain/Gcra.ts"
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

const ratesOf = ({ perHour: hourly, perMinute: minutely }: Creates, { hour, minute }: CreateRates) => ({
  minute: minutely === null ? minute : perMinute(minutely),
  hour: hourly === null ? hour : perHour(hourly)
})

/** The standing of the account with both rates; writes nothing. Fails with `CreateLimitExceeded`. */
export const admitCreate = (own: Creates, rates: CreateRates, now: number) => {
  const { hour, minute } = ratesOf(own, rates)
  const standings = [check(minute, own.minuteArrival, now), check(hour, own.hourArrival, now)] as const
  if (standings.every(({ allowed }) => allowed)) return Effect.succeed(standings)
  const clockWasAhead = isAhead(minute, own.minuteArrival, now) || isAhead(hour, own.hourArrival, now)
  return Effect.fail(new CreateLimitExceeded({ standings: standings.map(withoutTaking), clockWasAhead }))
}

/** The arrivals to store with a create: those of both rates, in whole milliseconds, in the customer's favor. */
export const arrivalsOf = (own: Creates, rates: readonly [minute: Standing, hour: Standing] | undefined) =>
  rates === undefined
    ? [own.minuteArrival, own.hourArrival] as const
    : [Math.floor(rates[0].arrival), Math.floor(rates[1].arrival)] as const

/**
 * Limits the stored arrivals to one window from now. A clock that was ahead stored later ones, which would refuse
 * creates until that time. Runs in a transaction of its own, because a refused create writes nothing.
 */
export const boundArrivals = Effect.fnUntraced(function*(accountId: number) {
  const accounts = yield* Accounts
  const now = yield* Clock.currentTimeMillis
  const account = yield* accounts.find(accountId)
  if (account === undefined) return
  const { hourArrival, minuteArrival } = account.creates
  yield* accounts.setCreateArrivals(accountId, Math.min(minuteArrival, now + MINUTE), Math.min(hourArrival, now + HOUR))
})
