/** Asking for what must not be done twice. */
import { retryIdempotent } from "../../waiting/Retry.ts"
import { explain, isRefusal, isUnanswered, UserError } from "../../api/Errors.ts"
import type { Work } from "./Work.ts"

/**
 * Whatever leaves open whether it was done is followed by a look for it; when that finds nothing, an answer of 502 or
 * 503 is followed by another call. After a lost answer it may still be on its way: then the next run looks again first.
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
      throw isUnanswered(error) ? new UserError(explain(error), { cause: error }) : error
    }
  })
