/** The steps that every request passes through, one concern each. */
import { withAbort } from "./Abort.ts"
import { withAuthentication } from "./Authentication.ts"
import { withClassification } from "./Classify.ts"
import type { Settings } from "../options/Config.ts"
import { decoderFor } from "./Decode.ts"
import type { InFlight } from "./InFlight.ts"
import type { Handler } from "./Handler.ts"
import { type Observers, withObservers } from "./Observers.ts"
import { withIdempotencyKey } from "./Idempotency.ts"
import { withRetry } from "./Retry.ts"
import type { Transport } from "./Transport.ts"

/** Assembles the chain from the inside out. The order matters. */
export const assembleChain = (
  settings: Settings,
  observers: Observers | undefined,
  transport: Transport,
  inFlight: InFlight
): Handler => {
  // Innermost: exchanges bytes. The timeout bounds each attempt, not the call: a retry gets the full time.
  const send = transport.send

  // Turns the response into data or a typed error, because the retry depends on the error.
  let handle = withClassification(send, decoderFor(settings.decode))

  // Reports every attempt, including the last one.
  if (observers !== undefined) handle = withObservers(handle, observers)

  // Retries what is safe to repeat.
  handle = withRetry(handle, observers)

  // Outside the retry: all attempts send the same API key, because an idempotency key belongs to it.
  handle = withAuthentication(handle, settings.apiKey)

  // Outside everything that takes time, so that the signal also ends the delay before a retry.
  handle = withAbort(handle)

  // One key per call, in every attempt and every error.
  handle = withIdempotencyKey(handle)

  // Outermost: closing the client waits for whole calls.
  return inFlight.track(handle)
}
