/**
 * The generic cell rate algorithm: a rate with room for bursts, remembered as one moment per caller. That moment is
 * when the next request would be due if all came evenly; how far it lies ahead says how much of the burst is used.
 */

export interface Rate {
  /** As clients see it. */
  readonly name: string
  /** Requests per window. */
  readonly quota: number
  readonly windowMillis: number
  /** Requests that may come at once. */
  readonly burst: number
}

/** How a caller stands with a rate. */
export interface Standing {
  readonly rate: Rate
  readonly allowed: boolean
  /** To be remembered if the request is let in: the next due moment, in milliseconds. */
  readonly arrival: number
  /** Requests that may come at once after this one. */
  readonly remaining: number
  /** Until the whole burst is free again, in milliseconds. */
  readonly resetMillis: number
  /** Until a request would be let in, in milliseconds; 0 when this one is. */
  readonly retryMillis: number
}

/** How the caller stands when the request is not let in after all, because of another rate. */
export const refrained = (standing: Standing): Standing => {
  if (!standing.allowed) return standing
  const { quota, windowMillis } = standing.rate
  const { remaining, resetMillis } = standing
  return { ...standing, remaining: remaining + 1, resetMillis: resetMillis - windowMillis / quota }
}

/** Moments are whole milliseconds, intervals need not be: what is lost in between must not cost a request. */
const SLACK_MILLIS = 0.5

/** Asks for one request. `arrival` is what was remembered, 0 for who is new; `now` is in milliseconds. */
export const ask = (rate: Rate, arrival: number, now: number): Standing => {
  const interval = rate.windowMillis / rate.quota
  const tolerance = interval * rate.burst
  // A clock that was set back must not shut anybody out for longer than the burst takes.
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
