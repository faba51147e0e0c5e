/**
 * The generic cell rate algorithm: a rate with bursts, whose state is one time per subject. At that time the next
 * request would be due if all came evenly; its distance from now is the used part of the burst.
 */

export interface Rate {
  /** The name in the `RateLimit` headers. */
  readonly name: string
  /** Requests per window. */
  readonly quota: number
  readonly windowMillis: number
  /** Requests allowed at once. */
  readonly burst: number
}

/** The standing of a subject with a rate. */
export interface Standing {
  readonly rate: Rate
  readonly allowed: boolean
  /** The new state if the request is allowed: the next due time, in milliseconds. */
  readonly arrival: number
  /** Requests allowed at once after this one. */
  readonly remaining: number
  /** Time until the whole burst is free again, in milliseconds. */
  readonly resetMillis: number
  /** Time until a request would be allowed, in milliseconds; 0 when this one is. */
  readonly retryMillis: number
}

/** The standing when the request is rejected after all, because of another rate. */
export const withoutTaking = (standing: Standing): Standing => {
  if (!standing.allowed) return standing
  const { quota, windowMillis } = standing.rate
  const { remaining, resetMillis } = standing
  return { ...standing, remaining: remaining + 1, resetMillis: resetMillis - windowMillis / quota }
}

/** Times are whole milliseconds, intervals need not be: rounding must not cost a request. */
const SLACK_MILLIS = 0.5

const toleranceOf = ({ burst, quota, windowMillis }: Rate): number => burst * windowMillis / quota

/** A stored state that is later than any that the rate could have stored by now: the clock was ahead then. */
export const isAhead = (rate: Rate, arrival: number, now: number): boolean =>
  arrival > now + toleranceOf(rate) + SLACK_MILLIS

/** Checks one request. `arrival` is the stored state, 0 for a new subject; `now` is in milliseconds. */
export const check = (rate: Rate, arrival: number, now: number): Standing => {
  // Nothing is allowed, so there is no interval between two requests. The window is when to look again.
  if (rate.quota === 0) {
    return {
      rate,
      allowed: false,
      arrival,
      remaining: 0,
      resetMillis: rate.windowMillis,
      retryMillis: rate.windowMillis
    }
  }
  const interval = rate.windowMillis / rate.quota
  const tolerance = toleranceOf(rate)
  // A clock that was set back must lock no subject out for longer than the burst takes.
  const due = Math.min(Math.max(arrival, now), now + tolerance)
  const used = due - now + interval
  const allowed = used <= tolerance + SLACK_MILLIS
  return {
    rate,
    allowed,
    arrival: due + interval,
    remaining: allowed ? Math.floor((tolerance + SLACK_MILLIS - used) / interval) : 0,
    resetMillis: allowed ? used : due - now,
    retryMillis: allowed ? 0 : used - tolerance
  }
}
