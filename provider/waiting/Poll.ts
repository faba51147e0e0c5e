/** Polls for a condition that no list of instances shows. */
import type { ApiContext } from "../api/Api.ts"
import { DeadlineError, isTransient, retryAfterOf } from "../api/Errors.ts"
import { formatDuration } from "../definition/ValueTypes.ts"
import { FIRST_DELAY, GROWTH, MAX_DELAY, MIN_DELAY, PROGRESS_EVERY } from "./InstanceWatcher.ts"
import { type Deadline, timeLeft } from "./Retry.ts"

export interface Poll<A> {
  /** The name of the resource in the program. */
  readonly name: string
  /** For messages: "snapshot 12 of instance 1". */
  readonly subject: string
  readonly deadline: Deadline
  /** Returns undefined to poll again. An error ends the wait, unless it is transient. */
  readonly observe: () => Promise<A | undefined>
}

/**
 * Observes at once, then after 0.1 s and 1 s, growing to 10 s, with a line of progress every 15 s.
 * @throws DeadlineError at the deadline; the errors of `observe`.
 */
export const poll = async <A>(context: ApiContext, { deadline, name, observe, subject }: Poll<A>): Promise<A> => {
  const { host } = context
  let reported = host.now()
  for (let delay = FIRST_DELAY;;) {
    await host.checkpoint()
    let pause = delay
    try {
      const found = await observe()
      if (found !== undefined) return found
    } catch (error) {
      if (!isTransient(error)) throw error
      pause = Math.max(delay, (retryAfterOf(error) ?? 0) * 1_000)
    }
    const left = timeLeft(context, deadline)
    if (left === 0) {
      throw new DeadlineError(`timed out after ${formatDuration(deadline.timeout)} waiting for ${subject}`)
    }
    if (host.now() - reported >= PROGRESS_EVERY) {
      reported = host.now()
      host.progress(`${name}: waiting for ${subject}`)
    }
    await host.sleep(Math.min(pause, left))
    delay = delay === FIRST_DELAY ? MIN_DELAY : Math.min(delay * GROWTH, MAX_DELAY)
  }
}
