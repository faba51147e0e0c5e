/** What a client and a call can be told. */
import type { Instance } from "#contract/Instance"
import type { MetricsRange, Task } from "#contract/Monitoring"
import type { Dispatcher } from "undici"
import type { Hooks, Logger } from "./Hooks.ts"

/** Settings of a client; what is absent comes from the environment or has a default. */
export interface ClientOptions {
  /** The API key, or a function that gives it, called once per call. Default: `VPS_API_KEY`. */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /** The address of the service with its prefix: `https://host/api/v1`. Default: `VPS_BASE_URL`. */
  readonly baseUrl?: string | undefined
  /** Milliseconds each attempt may take, connecting included. Default 30,000. */
  readonly timeout?: number | undefined
  /** Retries after the first attempt. Default 4. */
  readonly maxRetries?: number | undefined
  /** The `User-Agent`. Default `pulumi-vps/<version>`. */
  readonly userAgent?: string | undefined
  /** An undici dispatcher (7 or later), for a proxy or a test. `close()` leaves it open. Default: one of our own. */
  readonly dispatcher?: Pick<Dispatcher, "dispatch"> | undefined
  /** Where to write what the client does, for example `console`. Never holds an API key or a password. */
  readonly logger?: Logger | undefined
  /**
   * `beforeRequest`, `afterResponse` and `onRetry`, told of every attempt, how it ended, and of the next one. They
   * change nothing: what they throw is a warning of the process.
   */
  readonly hooks?: Hooks | undefined
  /**
   * `strict`: an answer that is not as the contract says fails with a `DecodeError` that names the field; the first one
   * takes a third of a second longer, for loading the schemas. Default `tolerant`: records come through as they are,
   * lists also when a host wraps them as `{ items: [...] }`.
   */
  readonly decode?: "tolerant" | "strict" | undefined
}

/** What every call takes last. */
export interface CallOptions {
  /** Ends the call: an `AbortError` with what is known about it. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds each attempt may take. Default: the client's. */
  readonly timeout?: number | undefined
  /** Retries after the first attempt. Default: the client's. */
  readonly maxRetries?: number | undefined
  /** Further headers, for example `x-request-id`. Those that the client sets itself are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** What a create takes last. */
export interface CreateOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters: the same create with the same key never buys twice.
   * Default: one made for this call, on the answer and on every error.
   */
  readonly idempotencyKey?: string | undefined
}

/** Where a wait stands. */
export interface WaitStep {
  /** Of the instance. */
  readonly id: number
  /** As last seen. */
  readonly status: string
  /** How often it was looked at. */
  readonly polls: number
  /** Milliseconds since the wait began. */
  readonly elapsed: number
}

/** Where a wait for an instance's record stands. */
export interface WaitProgress extends WaitStep {
  /** As last seen. */
  readonly instance: Instance
}

/** Where a wait for the end of an instance's tasks stands. */
export interface IdleProgress extends WaitStep {
  /** The open task, `null` when there is none, `undefined` when only the status was looked at. */
  readonly task: Task | null | undefined
}

/**
 * What a wait takes last. The waits of one client share their looks at the host: many cost it little more than one.
 * A wait with a `timeout`, `maxRetries` or `headers` of its own looks for itself.
 */
export interface WaitOptions<Progress = WaitProgress> extends CallOptions {
  /** Milliseconds the whole wait may take. Default 600,000. */
  readonly waitTimeout?: number | undefined
  /** Called after every look. What it throws ends the wait with a `CallbackError`. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** What `createAndWait` takes last. */
export interface CreateAndWaitOptions extends CreateOptions, WaitOptions {}

/** Which part of the activity feed. */
export interface TasksQuery {
  /** 1 to 100. Default 20. */
  readonly limit?: number | undefined
  /** How many of the newest to leave out. Default 0. */
  readonly offset?: number | undefined
}

/** How to read the whole activity feed. */
export interface TasksIteration {
  /** Tasks a request asks for, 1 to 100. Default 100. */
  readonly pageSize?: number | undefined
  /** How many of the newest to leave out. Default 0. */
  readonly offset?: number | undefined
}

/** Which part of the usage samples. */
export interface MetricsQuery {
  /** How far back. Default `1h`. */
  readonly range?: MetricsRange | undefined
}
