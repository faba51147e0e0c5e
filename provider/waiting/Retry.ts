/** Repeating what is safe to repeat: calls that set a value, against an instance that may be busy. */
import { formatDuration } from "../definition/Duration.ts"
import type { ApiContext } from "../api/Api.ts"
import { explain, isUnanswered, retryAfterOf, statusOf, WaitTimeoutError } from "../api/Errors.ts"

/** ms; what an earlier run did within this time counts as our own attempt; what is older may be another stack's. */
export const RETRY_WINDOW = 86_400_000

/** ms; the pause after the first refusal when the service names none. */
const MIN_DELAY = 1_000
const MAX_DELAY = 10_000
const GROWTH = 1.5
/** Answers 502, 503 or none: an upstream that stays broken should be reported, not waited for. */
const MAX_FAULTS = 5
/** A lost answer may hide that it was done. */
const NO_FAULTS = 1

export interface Deadline {
  /** ms since 1970 */
  readonly at: number
  /** ms, as it was given: for the message. */
  readonly timeout: number
}

export const deadlineIn = (session: ApiContext, timeout: number): Deadline => ({
  at: session.host.now() + timeout,
  timeout
})

export const timeLeft = (session: ApiContext, deadline: Deadline): number =>
  Math.max(deadline.at - session.host.now(), 0)

/**
 * Calls until the service accepts: a 409 that carries Retry-After means that another task is at work, a 429 that we are
 * too fast, a 502 or 503 that it may work in a moment. `call` must set a value, never add one.
 * @throws WaitTimeoutError when the deadline passes; any other error of the API at once.
 */
export const retryIdempotent = async <A>(
  session: ApiContext,
  name: string,
  deadline: Deadline,
  call: () => Promise<A>,
  maxFaults: number = MAX_FAULTS
): Promise<A> => {
  let delay = MIN_DELAY
  for (let faults = 0;;) {
    await session.host.checkpoint()
    try {
      return await call()
    } catch (error) {
      const fault = isUnanswered(error) || [502, 503].includes(statusOf(error) ?? 0)
      if (!fault && !isBusy(error)) throw error
      if (fault && ++faults >= maxFaults) throw error
      const pause = Math.max((retryAfterOf(error) ?? 0) * 1_000, delay)
      if (pause > timeLeft(session, deadline)) {
        throw new WaitTimeoutError(`gave up after ${formatDuration(deadline.timeout)}: ${explain(error)}`)
      }
      session.host.progress(`${name}: ${explain(error)}; trying again in ${formatDuration(pause)}`)
      await session.host.sleep(pause)
      delay = Math.min(delay * GROWTH, MAX_DELAY)
    }
  }
}

const isBusy = (error: unknown): boolean => {
  const status = statusOf(error)
  return status === 429 || (status === 409 && retryAfterOf(error) !== undefined)
}

/**
 * Like `retryIdempotent`, for a call that must not be made twice: it is repeated only after a refusal with Retry-After,
 * because the service has then done nothing.
 */
export const retryIfBusy = async <A>(
  session: ApiContext,
  name: string,
  deadline: Deadline,
  call: () => Promise<A>
): Promise<A> => await retryIdempotent(session, name, deadline, call, NO_FAULTS)
