/** The options of a client and of its calls. */
import type { Instance, MetricsRange, Task } from "../Records.ts"
import type { CallFailure } from "../errors/ApiErrors.ts"
import type { View } from "../host/View.ts"

// The events that hooks and loggers receive.

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

/** The part of an undici dispatcher (7 or later) that a client uses, declared here so that the types need no undici. */
export interface RequestDispatcher {
  dispatch(options: object, handler: object): boolean
}

/** `AbortSignal`, or its members that a client uses where the types of the program's platform have none. */
export type CallSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } } ? Signal : {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: "abort", listener: () => void): void
}

/** The second argument that a client passes to `fetch`. */
export interface FetchInit {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
  readonly signal: CallSignal
  readonly redirect?: "manual"
  readonly cache?: "no-store"
  readonly credentials?: "omit"
}

/** The part of a `Response` that a client uses. */
export interface FetchResponse {
  readonly status: number
  readonly type?: string
  readonly headers: { forEach(each: (value: string, name: string) => void): void }
  readonly body?: {
    getReader(): { read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> }
  } | null
  text(): Promise<string>
}

/** The global `fetch`, or a function like it. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchResponse>

/** The settings of a client. Absent ones come from the environment or have a default. */
export interface ClientOptions {
  /** The API key, or a function that returns it and is called once per call. Default: `VPS_API_KEY`. */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /** The URL of the service, with its path prefix: `https://api.example.com/api/v1`. Default: `VPS_BASE_URL`. */
  readonly baseUrl?: string | undefined
  /** The timeout of each attempt in milliseconds, including the connection. Default: 30,000. */
  readonly timeout?: number | undefined
  /** The maximum number of retries after the first attempt. Default: 4. */
  readonly maxRetries?: number | undefined
  /** The `User-Agent` header. Default: `pulumi-vps/<version>`. */
  readonly userAgent?: string | undefined
  /** An undici dispatcher (7 or later), for a proxy or a test. `close()` leaves it open. Default: the client's own. */
  readonly dispatcher?: RequestDispatcher | undefined
  /**
   * Sends the requests, instead of a dispatcher. Without it, the client uses its own connections on Node.js, and the
   * global `fetch` elsewhere.
   */
  readonly fetch?: FetchLike | undefined
  /** Logs the client's requests, for example to `console`. Log entries never contain an API key or a password. */
  readonly logger?: Logger | undefined
  /**
   * `beforeRequest`, `afterResponse` and `onRetry`: called for every attempt, its result, and every retry. They cannot
   * change the request. If one throws, the process emits a warning.
   */
  readonly hooks?: Hooks | undefined
  /**
   * `strict`: a response that does not match the contract fails with a `DecodeError` that names the field. The first
   * response takes a third of a second longer, to load the schemas. `tolerant` (the default): responses are returned as
   * they are, and lists also if the server wraps them as `{ items: [...] }`.
   */
  readonly decode?: "tolerant" | "strict" | undefined
}

/** The last argument of every call. */
export interface CallOptions {
  /** Aborts the call with an `AbortError`. */
  readonly signal?: CallSignal | undefined
  /** The timeout of each attempt in milliseconds. Default: the client's. */
  readonly timeout?: number | undefined
  /** The maximum number of retries after the first attempt. Default: the client's. */
  readonly maxRetries?: number | undefined
  /** Additional headers, for example `x-request-id`. Headers that the client sets itself are rejected. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** An amount of money. */
export interface MaxCharge {
  /** In units of the currency, with at most two decimals. */
  readonly amount: number
  /** ISO 4217 code, like `EUR`. */
  readonly currency: string
}

/** The last argument of a call that charges the wallet. */
export interface ChargeOptions extends CallOptions {
  /**
   * The most that may be charged, usually the charge that a dry run or `availablePlans` returned. A higher one is
   * refused with a 409 `ConflictError`, and nothing happens. A service without this extension ignores it. Default: any
   * charge.
   */
  readonly maxCharge?: MaxCharge | undefined
}

/** The last argument of a create. A dry run ignores `maxCharge`. */
export interface CreateOptions extends ChargeOptions {
  /**
   * 1 to 255 visible ASCII characters. The same create with the same key never buys twice.
   * Default: a new key for each call, included in the response and in every error.
   */
  readonly idempotencyKey?: string | undefined
  /**
   * If the key has bought an instance with another order: `error` fails with an `IdempotencyMismatchError` that names
   * the fields; `accept` returns that instance. Default: `error`.
   */
  readonly onMismatch?: "error" | "accept" | undefined
}

/** The progress of a wait. */
export interface WaitStep {
  /** The instance's ID. */
  readonly id: number
  /** The instance's status at the last poll. */
  readonly status: Instance["status"]
  /** The number of polls so far. */
  readonly polls: number
  /** Milliseconds since the wait began. */
  readonly elapsed: number
}

/** The progress of a wait for an instance. */
export interface WaitProgress extends WaitStep {
  /** The instance at the last poll. */
  readonly instance: Instance
}

/**
 * The sign by which a wait takes an instance for idle: `task`: the host shows that none is open; `status`: it shows no
 * tasks, and the status is one that does not change by itself; `unchanged`: it shows neither, and the status has been
 * the same for some time.
 */
export type IdleSign = "task" | "status" | "unchanged"

/** The progress of a wait for the end of an instance's tasks. */
export interface IdleProgress extends WaitStep {
  /**
   * The open task, with the fields that the host shows. `null` if there is none, `undefined` if the host shows none or
   * the poll returned only the status.
   */
  readonly task: View<Task> | null | undefined
  /** The sign at the poll that ends the wait; `undefined` before. */
  readonly sign: IdleSign | undefined
}

/**
 * The last argument of a wait. All waits of one client share one polling loop, so many of them send few requests.
 * A wait with its own `timeout`, `maxRetries` or `headers` sends its own requests.
 */
export interface WaitOptions<Progress = WaitProgress> extends CallOptions {
  /** The timeout of the whole wait in milliseconds. Default: 600,000. */
  readonly waitTimeout?: number | undefined
  /** Called after every poll. If it throws, the wait fails with a `CallbackError`. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** The last argument of `createAndWait`. */
export interface CreateAndWaitOptions extends CreateOptions, WaitOptions {}

/** The last argument of a bulk call. */
export interface BulkOptions {
  /** The maximum number of items at once, 1 to 64. Default: 8. */
  readonly concurrency?: number | undefined
}

/** The last argument of `bulk.createAndWait`. The wait options apply to each instance. */
export interface BulkCreateOptions extends BulkOptions, WaitOptions {
  /** Precedes each name in its idempotency key. Another prefix buys other instances. Default: none. */
  readonly keyPrefix?: string | undefined
}

/** Selects one page of the activity feed. */
export interface TasksQuery {
  /** The page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** The number of newest tasks to skip. Default: 0. */
  readonly offset?: number | undefined
}

/** Selects the tasks that `tasks.iterate` reads. */
export interface TasksIteration {
  /** The number of tasks per request, 1 to 100. Default: 100. */
  readonly pageSize?: number | undefined
  /** The number of newest tasks to skip. Default: 0. */
  readonly offset?: number | undefined
}

/** Selects usage samples. */
export interface MetricsQuery {
  /** The time range, back from now. Default: `1h`. */
  readonly range?: MetricsRange | undefined
}
