/** Watching a client at work: hooks of the caller's, and a log. Both only watch. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CallFailure, Handler } from "../chain/Handler.ts"
import type { ClientOptions } from "./Options.ts"
import type { Request } from "../chain/Request.ts"

/** One attempt of a call. */
export interface AttemptEvent {
  readonly method: string
  /** Below the base URL, without the query: `/instances/7`. */
  readonly path: string
  /** From 1. */
  readonly attempt: number
  /** Of a create: the same on every attempt. */
  readonly idempotencyKey: string | undefined
}

/** How an attempt ended: with an answer of any status, or without one. */
export interface ResponseEvent extends AttemptEvent {
  /** `undefined` when no answer came. */
  readonly status: number | undefined
  readonly requestId: string | undefined
  /** Milliseconds that the attempt took. */
  readonly elapsed: number
  /** What the attempt failed with, if it did. */
  readonly error: CallFailure | undefined
}

/** An attempt failed, and there will be another. */
export interface RetryEvent extends AttemptEvent {
  readonly error: CallFailure
  /** Milliseconds until the next attempt. */
  readonly delay: number
}

/**
 * Functions that are told of every attempt; none of them sees an API key or a password. They watch and change nothing:
 * what they return is ignored, and what they throw becomes a warning of the process (`VpsHookWarning`), because a call
 * that the host has carried out must not look as if it had failed.
 */
export interface Hooks {
  readonly beforeRequest?: ((event: AttemptEvent) => void) | undefined
  readonly afterResponse?: ((event: ResponseEvent) => void) | undefined
  readonly onRetry?: ((event: RetryEvent) => void) | undefined
}

/** Where a client writes what it does; `console` is one. */
export interface Logger {
  /** Each attempt, and how it ended. */
  readonly debug: (message: string, fields: Readonly<Record<string, unknown>>) => void
  /** Each attempt that failed and is repeated. */
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void
}

/** Everybody who watches; `undefined` when nobody does, which costs nothing. */
export const observersOf = ({ hooks, logger }: ClientOptions): Observers | undefined => {
  const all = [...(logger === undefined ? [] : [logTo(logger)]), ...(hooks === undefined ? [] : [hooks])]
  return all.length === 0 ? undefined : new Observers(all)
}

export class Observers {
  readonly #all: ReadonlyArray<Hooks>

  constructor(all: ReadonlyArray<Hooks>) {
    this.#all = all
  }

  readonly requested = (event: AttemptEvent) => this.#tell((hooks) => hooks.beforeRequest?.(event))
  readonly answered = (event: ResponseEvent) => this.#tell((hooks) => hooks.afterResponse?.(event))
  readonly repeated = (event: RetryEvent) => this.#tell((hooks) => hooks.onRetry?.(event))

  #tell(tell: (hooks: Hooks) => void): Effect.Effect<void> {
    return Effect.sync(() => {
      for (const hooks of this.#all) {
        try {
          tell(hooks)
        } catch (error) {
          process.emitWarning(`A hook or logger threw: ${String(error)}`, "VpsHookWarning")
        }
      }
    })
  }
}

const logTo = (logger: Logger): Hooks => ({
  beforeRequest: (event) => logger.debug(`${titleOf(event)}: attempt ${event.attempt}`, { ...event }),
  afterResponse: (event) => {
    const outcome = event.status === undefined ? "no answer" : `answered ${event.status}`
    logger.debug(`${titleOf(event)}: ${outcome} after ${Math.round(event.elapsed)} ms`, fieldsOf(event))
  },
  onRetry: (event) =>
    logger.warn(`${event.error.message}; trying again in ${Math.round(event.delay)} ms`, fieldsOf(event))
})

const titleOf = (event: AttemptEvent): string => `${event.method} ${event.path}`

/** An error in a log line is its name: the message is in the line, the rest is on the error that the caller gets. */
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

/** Tells of each attempt, before it and after. */
export const withObservers = (next: Handler, watchers: Observers): Handler =>
  Effect.fnUntraced(function*(request: Request) {
    const attempt = attemptOf(request)
    yield* watchers.requested(attempt)
    const began = yield* Clock.monotonicTimeNanos
    const told = (outcome: Pick<ResponseEvent, "status" | "requestId" | "error">) =>
      Effect.flatMap(
        Clock.monotonicTimeNanos,
        (now) => watchers.answered({ ...attempt, elapsed: Number(now - began) / 1_000_000, ...outcome })
      )
    return yield* next(request).pipe(
      Effect.tap(({ response: { requestId, status } }) => told({ status, requestId, error: undefined })),
      Effect.tapError((error) =>
        told({ status: "status" in error ? error.status : undefined, requestId: error.requestId, error })
      )
    )
  })
