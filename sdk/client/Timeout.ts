/** Each attempt is bounded, from waiting for a connection to the last byte of the answer. */
import * as Effect from "effect/Effect"
import type { Send, SendFailure } from "./Transport.ts"

const TIMED_OUT: SendFailure = { _tag: "TimedOut" }

export const withTimeout = (next: Send): Send => (request) =>
  Effect.timeoutOrElse(next(request), {
    duration: request.limits.timeout,
    orElse: () => Effect.fail(TIMED_OUT)
  })
