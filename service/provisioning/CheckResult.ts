/** The result of a check that an operator runs. */
import * as Effect from "effect/Effect"

export interface CheckResult {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
}

/** Runs a check. The detail of a failure is its message. */
export const attempted = <A, R>(
  check: string,
  run: Effect.Effect<A, { readonly message: string }, R>,
  detail: (value: A) => string
): Effect.Effect<CheckResult, never, R> =>
  Effect.match(run, {
    onSuccess: (value) => ({ check, ok: true, detail: detail(value) }),
    onFailure: ({ message }) => ({ check, ok: false, detail: message })
  })
