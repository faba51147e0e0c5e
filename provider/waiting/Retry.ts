/** Retries of calls that are safe to repeat, against an instance that may be busy. */
import type { ApiContext } from "../api/Api.ts"
import { DeadlineError, detailOf, explain, isUnanswered, retryAfterOf, statusOf } from "../api/Errors.ts"
import { formatDuration, parseDuration } from "../definition/Definition.ts"
import { type Properties, TIMEOUT } from "../definition/Properties.ts"

/** Mutual exclusion by name: the service refuses a second operation on a busy instance, so none is sent. */
export class Mutex {
  readonly #tails = new Map<string, Promise<void>>()

  /** Runs `work` when all earlier work under this name has ended, whether it succeeded or failed. */
  async run<A>(name: string, work: () => Promise<A>): Promise<A> {
    const before = this.#tails.get(name) ?? Promise.resolve()
    const result = before.then(work)
    const tail = result.then(() => undefined, () => undefined)
    this.#tails.set(name, tail)
    try {
      return await result
    } finally {
      // The last one removes the name, so that a long-lived process does not collect names.
      if (this.#tails.get(name) === tail) this.#tails.delete(name)
    }
  }
}

/** ms; what an earlier run did within this time counts as our own attempt; older work may be another stack's. */
export const RETRY_WINDOW = 86_400_000

/** ms; the pause after the first refusal without Retry-After. */
const MIN_DELAY = 1_000
const MAX_DELAY = 10_000
const GROWTH = 1.5
/** Responses of 502 or 503, or none: an upstream that stays broken should be reported, not waited for. */
const MAX_FAULTS = 5
/** The first lost response ends the retries: it may hide that the call was executed. */
const ONE_FAULT = 1

/** ms; a deployment takes a minute or two, on a busy host several, and the instance refuses other work meanwhile. */
const DEFAULT_TIMEOUT = 600_000

export interface Deadline {
  /** ms since 1970 */
  readonly at: number
  /** ms; for the message. */
  readonly timeout: number
}

export const deadlineIn = ({ host }: ApiContext, timeout: number): Deadline => ({ at: host.now() + timeout, timeout })

/** ms; the timeout of a phase according to the inputs. */
export const timeoutOf = (inputs: Properties, phase: string): number => {
  if (typeof inputs[TIMEOUT] === "number") return inputs[TIMEOUT]
  const timeout = (inputs["timeouts"] as Readonly<Record<string, string>> | undefined)?.[phase]
  return (timeout === undefined ? undefined : parseDuration(timeout)) ?? DEFAULT_TIMEOUT
}

export const timeLeft = ({ host }: ApiContext, { at }: Deadline): number => Math.max(at - host.now(), 0)

/**
 * Calls until the service accepts, or has not answered or been unavailable `maxFaults` times: a 409 with Retry-After
 * means that another task is under way, a 429 that we are too fast, a 502 or 503 that it may work in a moment.
 */
const retry = (maxFaults: number) =>
async <A>(
  context: ApiContext,
  name: string,
  deadline: Deadline,
  call: () => Promise<A>
): Promise<A> => {
  const { host } = context
  let delay = MIN_DELAY
  for (let faults = 0;;) {
    await host.checkpoint()
    try {
      return await call()
    } catch (error) {
      const fault = isUnanswered(error) || [502, 503].includes(statusOf(error) ?? 0)
      if (!fault && !isBusy(error)) throw error
      if (fault && ++faults >= maxFaults) throw error
      const pause = Math.max((retryAfterOf(error) ?? 0) * 1_000, delay)
      if (pause > timeLeft(context, deadline)) {
        throw new DeadlineError(`gave up after ${formatDuration(deadline.timeout)}: ${explain(error)}`)
      }
      host.progress(`${name}: ${explain(error)}; retrying in ${formatDuration(pause)}`)
      await host.sleep(pause)
      delay = Math.min(delay * GROWTH, MAX_DELAY)
    }
  }
}

/** The specification shows the word, and no Retry-After, so another host may send none. */
const isBusy = (error: unknown): boolean => {
  const status = statusOf(error)
  return status === 429 || (status === 409 && (retryAfterOf(error) !== undefined || /\bbusy\b/i.test(detailOf(error))))
}

/**
 * Retries a call that sets a value, never adds one, or that looks first whether an earlier attempt did its work.
 * @throws DeadlineError when the deadline passes; any other error of the API at once.
 */
export const retryIdempotent = retry(MAX_FAULTS)

/**
 * Retries a call that must not be made twice: only after a refusal with Retry-After, because the service has then done
 * nothing.
 * @throws DeadlineError when the deadline passes; any other error of the API at once.
 */
export const retryIfBusy = retry(ONE_FAULT)
