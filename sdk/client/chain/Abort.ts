/** Ends a call when the caller's `AbortSignal` fires, also during the delay before a retry. */
import * as Effect from "effect/Effect"
import type { Handler } from "./Handler.ts"
import { AbortError } from "../errors/Errors.ts"
import type { CallSignal } from "../options/Options.ts"
import { contextOf } from "./Request.ts"

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

export const withAbort = (next: Handler): Handler => (request) =>
  endedBy(
    next(request),
    request.signal,
    (cause) => new AbortError(request.progress.responseLost, { ...contextOf(request), cause })
  )
