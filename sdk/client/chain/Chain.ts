/** The chain of a request: one step per concern. */
import * as Effect from "effect/Effect"
import type { Handler, Transport } from "./Transport.ts"
import type { ApiResponse } from "./ApiResponse.ts"
import { AbortError, ArgumentError, ConfigurationError, IdempotencyMismatchError } from "../errors/Errors.ts"
import { type Settings } from "../options/Config.ts"
import { IDEMPOTENCY_KEY_MAX } from "../options/Limits.ts"
import type { Instance } from "../Records.ts"
import { contextOf, type Request } from "./Request.ts"
import { decoderFor, withClassification } from "./Decode.ts"
import { type Observers, withObservers, withRetry } from "./Retry.ts"
import type { CallSignal } from "../options/Options.ts"

const FORM = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_MAX}}$`)
const PROBLEM = `idempotencyKey must be 1 to ${IDEMPOTENCY_KEY_MAX} visible ASCII characters`

/** The fields in which the order differs from the one that the key bought. */
const differingFields = ({ response }: ApiResponse<unknown>): ReadonlyArray<string> =>
  (response.headers["idempotent-mismatch"] ?? "").split(",").map((field) => field.trim()).filter(Boolean)

/** Success would hide that another plan was bought before, and nothing now. */
const rejectMismatch = (request: Request) => (answer: ApiResponse<unknown>) => {
  const fields = request.onMismatch === "accept" ? [] : differingFields(answer)
  if (fields.length === 0) return Effect.succeed(answer)
  const context = { ...contextOf(request), requestId: answer.response.requestId }
  return Effect.fail(new IdempotencyMismatchError(answer.data as Instance, fields, context))
}

/**
 * Makes the key before the first attempt, and sends it with all of them. Only purchases get a generated key. A dry run
 * sends a key only if the caller passes one, to preview its effect.
 */
const withIdempotencyKey = (next: Handler): Handler => (request) => {
  const own = request.idempotencyKey
  const isPurchase = request.operation.retry === "purchase"
  if (own === undefined && !isPurchase) return next(request)
  return Effect.suspend(() => {
    const key = own ?? `sdk-${globalThis.crypto.randomUUID()}`
    if (!FORM.test(key)) {
      // The error does not carry the key: a program must not resume with a key that was never sent.
      return Effect.fail(new ArgumentError(PROBLEM, { ...contextOf(request), idempotencyKey: undefined }))
    }
    const keyed = { ...request, idempotencyKey: key, headers: { ...request.headers, "idempotency-key": key } }
    return isPurchase ? Effect.flatMap(next(keyed), rejectMismatch(keyed)) : next(keyed)
  })
}

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
