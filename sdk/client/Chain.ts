/** The way of a request through the client, one concern per step. */
import type * as Effect from "effect/Effect"
import { withAbort } from "./Abort.ts"
import type { AnyApiError } from "./ApiErrors.ts"
import { withAuthentication } from "./Authentication.ts"
import { withClassification } from "./Classify.ts"
import type { Settings } from "./Config.ts"
import type {
  AbortError,
  ArgumentError,
  ConfigurationError,
  ConnectionError,
  DecodeError,
  TimeoutError
} from "./Errors.ts"
import type { Gate } from "./Gate.ts"
import { withIdempotencyKey } from "./Idempotency.ts"
import type { Answer, Request } from "./Request.ts"
import { withRetry } from "./Retry.ts"
import { withTimeout } from "./Timeout.ts"
import type { Transport } from "./Transport.ts"

/** What any call can fail with. */
export type CallFailure =
  | AnyApiError
  | ConnectionError
  | TimeoutError
  | AbortError
  | DecodeError
  | ConfigurationError
  | ArgumentError

export type Handler = (request: Request) => Effect.Effect<Answer<unknown>, CallFailure>

/** From the inside out; the order matters. */
export const assembleChain = (settings: Settings, transport: Transport, gate: Gate): Handler => {
  // At the far end: bytes out, bytes in.
  let send = transport.send

  // Bounds each attempt, not the call: a retry gets its full time.
  send = withTimeout(send)

  // Makes data or a typed error of what came, because the retry looks at the error.
  let handle = withClassification(send)

  // Repeats what may be repeated.
  handle = withRetry(handle)

  // Outside the retry: all attempts carry one API key, for an idempotency key belongs to it.
  handle = withAuthentication(handle, settings.apiKey)

  // Outside all that takes time, so that the signal ends a pause between attempts too.
  handle = withAbort(handle)

  // One key per call, on every attempt and every error.
  handle = withIdempotencyKey(handle)

  // Outermost: a client that is being closed waits for whole calls.
  return gate.through(handle)
}
