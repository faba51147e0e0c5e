/** The way of a request through the client, one concern per step. */
import { withAbort } from "./Abort.ts"
import { withAuthentication } from "./Authentication.ts"
import { withClassification } from "./Classify.ts"
import type { Settings } from "../options/Config.ts"
import { decoderFor } from "./Decode.ts"
import type { InFlight } from "./InFlight.ts"
import type { Handler } from "./Handler.ts"
import { withObservers } from "../options/Hooks.ts"
import { withIdempotencyKey } from "./Idempotency.ts"
import { withRetry } from "./Retry.ts"
import type { Transport } from "./Transport.ts"

/** From the inside out; the order matters. */
export const assembleChain = (settings: Settings, transport: Transport, gate: InFlight): Handler => {
  // At the far end: bytes out, bytes in. Bounds each attempt, not the call: a retry gets its full time.
  const send = transport.send

  // Makes data or a typed error of what came, because the retry looks at the error.
  let handle = withClassification(send, decoderFor(settings.decode))

  // Tells of each attempt, of the last one too.
  if (settings.observers !== undefined) handle = withObservers(handle, settings.observers)

  // Repeats what may be repeated.
  handle = withRetry(handle, settings.observers)

  // Outside the retry: all attempts carry one API key, for an idempotency key belongs to it.
  handle = withAuthentication(handle, settings.apiKey)

  // Outside all that takes time, so that the signal ends a pause between attempts too.
  handle = withAbort(handle)

  // One key per call, on every attempt and every error.
  handle = withIdempotencyKey(handle)

  // Outermost: a client that is being closed waits for whole calls.
  return gate.through(handle)
}
