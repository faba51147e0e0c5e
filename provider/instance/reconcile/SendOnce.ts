/** Sends a request that must not be executed twice. */
import { explain, isRefusal, isUnanswered, UserError } from "../../api/Errors.ts"
import { retryIdempotent } from "../../waiting/Retry.ts"
import type { Work } from "./Work.ts"

/**
 * After an error with an unknown outcome, `find` looks for the effect; when it finds nothing, a 502 or 503 is followed
 * by another call. After a lost answer the request may still be in flight, so the next run looks again first.
 */
export const sendOnce = <A>(
  { deadline, name, session }: Work,
  call: () => Promise<A>,
  find: () => Promise<A | undefined>
): Promise<A> =>
  retryIdempotent(session, name, deadline, async () => {
    try {
      return await call()
    } catch (error) {
      const found = isRefusal(error) ? undefined : await find()
      if (found !== undefined) return found
      throw isUnanswered(error) ? new UserError(explain(error), error) : error
    }
  })
