/** The events that hooks and loggers receive. */
import type { CallFailure } from "../errors/Failures.ts"

/** One attempt of a call. */
export interface AttemptEvent {
  readonly method: string
  /** Below the base URL, without the query: `/instances/7`. */
  readonly path: string
  /** Counts from 1. */
  readonly attempt: number
  /** The same on every attempt. Creates only. */
  readonly idempotencyKey: string | undefined
}

/** The result of an attempt: a response of any status, or no response. */
export interface ResponseEvent extends AttemptEvent {
  /** `undefined` if no response came. */
  readonly status: number | undefined
  readonly requestId: string | undefined
  /** The duration of the attempt in milliseconds. */
  readonly elapsed: number
  /** The error of a failed attempt. */
  readonly error: CallFailure | undefined
}

/** An attempt failed and will be retried. */
export interface RetryEvent extends AttemptEvent {
  readonly error: CallFailure
  /** Milliseconds until the next attempt. */
  readonly delay: number
}

/**
 * Functions that are called for every attempt. They never receive an API key or a password. They only observe: their
 * results are ignored, and an exception becomes a process warning (`VpsHookWarning`), because a call that the server
 * has processed must not look like a failure.
 */
export interface Hooks {
  readonly beforeRequest?: ((event: AttemptEvent) => void) | undefined
  readonly afterResponse?: ((event: ResponseEvent) => void) | undefined
  readonly onRetry?: ((event: RetryEvent) => void) | undefined
}

/** A destination for the client's log, for example `console`. */
export interface Logger {
  /** Receives each attempt and its result. */
  readonly debug: (message: string, fields: Readonly<Record<string, unknown>>) => void
  /** Receives each attempt that failed and will be retried. */
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void
}
