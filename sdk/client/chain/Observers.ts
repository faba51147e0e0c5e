/** Calls the hooks and the logger for every attempt. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { AttemptEvent, ClientOptions, Hooks, Logger, ResponseEvent, RetryEvent } from "../options/Options.ts"
import type { Handler } from "./Handler.ts"
import type { Request } from "./Request.ts"

/** Returns `undefined` without hooks and logger: then observing costs nothing. */
export const observersOf = ({ hooks, logger }: ClientOptions): Observers | undefined => {
  const all = [...(logger === undefined ? [] : [logTo(logger)]), ...(hooks === undefined ? [] : [hooks])]
  return all.length === 0 ? undefined : new Observers(all)
}

export class Observers {
  readonly #all: ReadonlyArray<Hooks>

  constructor(all: ReadonlyArray<Hooks>) {
    this.#all = all
  }

  readonly onRequest = (event: AttemptEvent) => this.#notify((hooks) => hooks.beforeRequest?.(event))
  readonly onResponse = (event: ResponseEvent) => this.#notify((hooks) => hooks.afterResponse?.(event))
  readonly onRetry = (event: RetryEvent) => this.#notify((hooks) => hooks.onRetry?.(event))

  #notify(notify: (hooks: Hooks) => void): Effect.Effect<void> {
    return Effect.sync(() => {
      for (const hooks of this.#all) {
        try {
          notify(hooks)
        } catch (error) {
          warn(`A hook or logger threw: ${String(error)}`)
        }
      }
    })
  }
}

/** Browsers and workers have no warnings of the process; their consoles show reported errors. */
const warn = (message: string): void => {
  if (typeof globalThis.process?.emitWarning === "function") process.emitWarning(message, "VpsHookWarning")
  else (globalThis as { readonly reportError?: (error: Error) => void }).reportError?.(new Error(message))
}

const logTo = (logger: Logger): Hooks => ({
  beforeRequest: (event) => logger.debug(`${titleOf(event)}: attempt ${event.attempt}`, { ...event }),
  afterResponse: (event) => {
    const outcome = event.status === undefined ? "no response" : `status ${event.status}`
    logger.debug(`${titleOf(event)}: ${outcome} after ${Math.round(event.elapsed)} ms`, fieldsOf(event))
  },
  onRetry: (event) => logger.warn(`${event.error.message}; retrying in ${Math.round(event.delay)} ms`, fieldsOf(event))
})

const titleOf = (event: AttemptEvent): string => `${event.method} ${event.path}`

/** Replaces the error with its name: the message is in the log line, and the caller gets the rest. */
const fieldsOf = (event: ResponseEvent | RetryEvent): Record<string, unknown> => ({
  ...event,
  error: event.error?._tag
})

export const attemptOf = ({ idempotencyKey, operation, path, progress }: Request): AttemptEvent => ({
  method: operation.method,
  path,
  attempt: progress.attempts,
  idempotencyKey
})

export const withObservers = (next: Handler, observers: Observers): Handler =>
  Effect.fnUntraced(function*(request: Request) {
    const attempt = attemptOf(request)
    yield* observers.onRequest(attempt)
    const began = yield* Clock.monotonicTimeNanos
    const report = (outcome: Pick<ResponseEvent, "status" | "requestId" | "error">) =>
      Effect.flatMap(
        Clock.monotonicTimeNanos,
        (now) => observers.onResponse({ ...attempt, elapsed: Number(now - began) / 1_000_000, ...outcome })
      )
    return yield* next(request).pipe(
      Effect.tap(({ response: { requestId, status } }) => report({ status, requestId, error: undefined })),
      Effect.tapError((error) =>
        report({ status: "status" in error ? error.status : undefined, requestId: error.requestId, error })
      )
    )
  })
