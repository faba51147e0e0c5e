/** The options of a client and of its calls. */
import type { Instance, MetricsRange, Task } from "../Records.ts"
import type { Hooks, Logger } from "./Hooks.ts"

/** The part of an undici dispatcher (7 or later) that a client uses, declared here so that the types need no undici. */
export interface RequestDispatcher {
  dispatch(options: object, handler: object): boolean
}

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
  readonly signal?: AbortSignal | undefined
  /** The timeout of each attempt in milliseconds. Default: the client's. */
  readonly timeout?: number | undefined
  /** The maximum number of retries after the first attempt. Default: the client's. */
  readonly maxRetries?: number | undefined
  /** Additional headers, for example `x-request-id`. Headers that the client sets itself are rejected. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The last argument of a create. */
export interface CreateOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters. The same create with the same key never buys twice.
   * Default: a new key for each call, included in the response and in every error.
   */
  readonly idempotencyKey?: string | undefined
}

/** The progress of a wait. */
export interface WaitStep {
  /** The instance's ID. */
  readonly id: number
  /** The instance's status at the last poll. */
  readonly status: string
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

/** The progress of a wait for the end of an instance's tasks. */
export interface IdleProgress extends WaitStep {
  /** The open task. `null` if there is none, `undefined` if the poll returned only the status. */
  readonly task: Task | null | undefined
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
