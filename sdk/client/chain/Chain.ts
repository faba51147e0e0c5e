/** The steps that every request passes through, one concern each. */
import { withClassification } from "./Classify.ts"
import type { Settings } from "../options/Config.ts"
import { decoderFor } from "./Decode.ts"
import type { Handler } from "./Handler.ts"
import { type Observers, withObservers } from "./Observers.ts"
import { withIdempotencyKey } from "./Idempotency.ts"
import { withRetry } from "./Retry.ts"
import type { Transport } from "./Transport.ts"
import * as Effect from "effect/Effect"
import { AbortError, ConfigurationError } from "../errors/Errors.ts"
import type { CallSignal } from "../options/Options.ts"
import { contextOf } from "./Request.ts"

// Ends a call when the caller's `AbortSignal` fires, also during the delay before a retry.

/** Fails `self` with `onAbort` when the signal fires. Costs nothing without a signal. */
export const endedBy = <A, E, E2>(
  self: Effect.Effect<A, E>,
  signal: CallSignal | undefined,
  onAbort: (reason: unknown) => E2
): Effect.Effect<A, E | E2> => {
  if (signal === undefined) return self
  const aborted = Effect.callback<never, E2>((resume) => {
    const abort = () => resume(Effect.suspend(() => Effect.fail(onAbort(signal.reason))))
    if (signal.aborted) return abort()
    signal.addEventListener("abort", abort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", abort))
  })
  // The signal goes first: if it has already fired, the other side does not start.
  return Effect.raceFirst(aborted, self)
}

const withAbort = (next: Handler): Handler => (request) =>
  endedBy(
    next(request),
    request.signal,
    (cause) => new AbortError(request.progress.responseLost, { ...contextOf(request), cause })
  )

// Adds the API key. It is read once per call, because an idempotency key belongs to the API key that first sent it.

const withAuthentication = (next: Handler, apiKey: Settings["apiKey"]): Handler => (request) =>
  Effect.flatMap(apiKey, (key) =>
    next({
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${key}` },
      secrets: [...request.secrets, key]
    }))

// Tracks running calls, so that closing a client lets them and their retries finish. Later calls are refused.

export class InFlight {
  #running = 0
  #closed = false
  readonly #waiting: Array<() => void> = []

  /** Counts a call while it runs; refuses it after `close`. */
  readonly track = (next: Handler): Handler => (request) =>
    Effect.suspend(() => {
      if (this.#closed) return Effect.fail(new ConfigurationError("The client is closed", contextOf(request)))
      this.#running++
      return Effect.ensuring(next(request), this.#leave)
    })

  /** Resolves once no call is running. */
  readonly close: Effect.Effect<void> = Effect.callback((resume) => {
    this.#closed = true
    if (this.#running === 0) resume(Effect.void)
    else this.#waiting.push(() => resume(Effect.void))
  })

  readonly #leave = Effect.sync(() => {
    this.#running--
    if (this.#running > 0) return
    for (const notify of this.#waiting.splice(0)) notify()
  })
}

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
