/**
 * The attempts of a request: retries, with the rules of what may be sent again, and the hooks and the logger,
 * which are called for every attempt.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { ApiError, type CallFailure } from "../errors/ApiErrors.ts"
import { type Handler, isPermanent, type RawResponse } from "./Transport.ts"
import { ConnectionError, TimeoutError } from "../errors/Errors.ts"
import { BACKOFF_BASE_MS, BACKOFF_CAP_MS, RETRY_AFTER_MAX_S } from "../options/Limits.ts"
import type { Request, RetryKind } from "./Request.ts"
import type { AttemptEvent, ClientOptions, Hooks, Logger, ResponseEvent, RetryEvent } from "../options/Options.ts"

interface Rule {
  /** The statuses after which the same request may succeed. */
  readonly statuses: (status: number) => boolean
  /** True to retry a 409 with `Retry-After`: it means "busy", and that nothing was done. */
  readonly busy: boolean
  /** True to retry although the first request may have been processed. */
  readonly responseLost: boolean
  /** The same after a kept-alive connection was closed before the response began, which no client can prevent. */
  readonly staleConnection: boolean
}

const transient = (status: number): boolean => status === 408 || status === 429 || status >= 500

/** After 408, 500 and 504, the request may have been processed; after 429, 502 and 503 it was not. */
const MUTATION: Rule = {
  statuses: (status) => status === 429 || status === 502 || status === 503,
  busy: true,
  responseLost: false,
  staleConnection: false
}

const RULES: Readonly<Record<RetryKind, Rule>> = {
  read: { statuses: transient, busy: false, responseLost: true, staleConnection: true },
  // Because of its key, a second request returns the instance that the first one bought.
  purchase: { statuses: transient, busy: true, responseLost: true, staleConnection: true },
  mutation: MUTATION,
  idempotent: { ...MUTATION, staleConnection: true },
  // A proxy also returns 502 if it lost the response: the request may have been processed.
  once: { ...MUTATION, statuses: (status) => status === 429 || status === 503 }
}

/** Returns whether a later retry may succeed without doing anything twice. */
export const isRetryable = (kind: RetryKind, error: CallFailure): boolean => {
  const rule = RULES[kind]
  if (error instanceof ApiError) {
    return rule.statuses(error.status) || (rule.busy && error.status === 409 && error.retryAfter !== undefined)
  }
  if (error instanceof ConnectionError && isPermanent(error.cause)) return false
  if (error instanceof ConnectionError && error.staleConnection) return rule.staleConnection
  if (error instanceof ConnectionError || error instanceof TimeoutError) return rule.responseLost || !error.responseLost
  return false
}

const retryAfterOf = (error: CallFailure): number | undefined =>
  error instanceof ApiError ? error.retryAfter : undefined

/** Full jitter: any delay up to the bound, so that clients that failed together do not retry together. */
const backoff = (retry: number, random: number): number =>
  random * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** retry)

/**
 * Milliseconds until retry number `retry` (from 0). `undefined` if the server requests a longer delay than allowed.
 * The backoff comes on top of `Retry-After`, which is often the same for all clients that were refused together.
 */
const delayBefore = (retry: number, random: number, retryAfter = 0): number | undefined =>
  retryAfter > RETRY_AFTER_MAX_S ? undefined : retryAfter * 1000 + backoff(retry, random)

export const withRetry = (next: Handler, observers: Observers | undefined): Handler => (request) => {
  const { limits, operation, progress } = request
  const attempt = (): ReturnType<Handler> =>
    Effect.suspend(() => {
      progress.attempts++
      return next(request).pipe(Effect.catch(again))
    })
  const again = (error: CallFailure): ReturnType<Handler> => {
    if (progress.attempts > limits.maxRetries || !isRetryable(operation.retry, error)) return Effect.fail(error)
    return Effect.flatMap(Random.next, (random) => {
      const delay = delayBefore(progress.attempts - 1, random, retryAfterOf(error))
      if (delay === undefined) return Effect.fail(error)
      const report = observers?.onRetry({ ...attemptOf(request), error, delay }) ?? Effect.void
      return report.pipe(Effect.andThen(Effect.sleep(delay)), Effect.andThen(attempt()))
    })
  }
  return attempt()
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Date.parse accepts many texts that are not dates ("-5" is May 2001), so only RFC 9110's form counts. */
const parseDate = (header = ""): number => HTTP_DATE.test(header.trim()) ? Date.parse(header) : Number.NaN

/**
 * `Retry-After` in seconds from now: a number of seconds, or a date. A date is compared with the response's own `Date`,
 * because this computer's clock may be wrong. Without one, as when a browser hides it, this clock has to do.
 */
export const parseRetryAfter = (headers: RawResponse["headers"]): Effect.Effect<number | undefined> => {
  const header = headers["retry-after"]?.trim()
  if (header !== undefined && /^\d+(\.\d+)?$/.test(header)) return Effect.succeed(Number(header))
  const at = parseDate(header)
  if (Number.isNaN(at)) return Effect.succeed(undefined)
  const sent = parseDate(headers["date"])
  return Effect.map(
    Number.isNaN(sent) ? Clock.currentTimeMillis : Effect.succeed(sent),
    (now) => Math.max(0, Math.ceil((at - now) / 1000))
  )
}

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

const attemptOf = ({ idempotencyKey, operation, path, progress }: Request): AttemptEvent => ({
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
