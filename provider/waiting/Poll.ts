/** Looking again and again until something has come about that no list of instances shows. */
import { formatDuration } from "../definition/Duration.ts"
import { type Deadline, timeLeft } from "./Retry.ts"
import { isTransient, retryAfterOf, WaitTimeoutError } from "../api/Errors.ts"
import type { ApiContext } from "../api/Api.ts"
import { FIRST_DELAY, GROWTH, MAX_DELAY, MIN_DELAY, PROGRESS_EVERY } from "./InstanceWatcher.ts"

export interface Poll<A> {
  /** How the user calls the resource. */
  readonly name: string
  /** What is waited for: "snapshot 12 of server 1". */
  readonly subject: string
  readonly deadline: Deadline
  /** Undefined: not yet. What it throws ends the wait, but for failures that pass. */
  readonly observe: () => Promise<A | undefined>
}

/**
 * Looks at once, then after 1 s, growing to 10 s, and says every 15 s what it waits for.
 * @throws WaitTimeoutError at the deadline; what `look` throws.
 */
export const poll = async <A>(session: ApiContext, { deadline, observe, name, subject }: Poll<A>): Promise<A> => {
  let said = session.host.now()
  for (let delay = FIRST_DELAY;;) {
    await session.host.checkpoint()
    let pause = delay
    try {
      const found = await observe()
      if (found !== undefined) return found
    } catch (error) {
      if (!isTransient(error)) throw error
      pause = Math.max(delay, (retryAfterOf(error) ?? 0) * 1_000)
    }
    const left = timeLeft(session, deadline)
    if (left === 0) throw new WaitTimeoutError(`${subject} was waited for ${formatDuration(deadline.timeout)}`)
    if (session.host.now() - said >= PROGRESS_EVERY) {
      said = session.host.now()
      session.host.progress(`${name}: waiting for ${subject}`)
    }
    await session.host.sleep(Math.min(pause, left))
    delay = delay === FIRST_DELAY ? MIN_DELAY : Math.min(delay * GROWTH, MAX_DELAY)
  }
}
