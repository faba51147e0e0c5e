// Imports nothing of effect: the types of the Promise client refer to it.

/** The result of a successful call: the data, and the HTTP response that carried it. */
export interface ApiResponse<T> {
  readonly data: T
  readonly response: {
    readonly status: number
    /** Names are in lowercase. Repeated headers are joined with a comma. */
    readonly headers: Readonly<Record<string, string>>
    /** The server's `X-Request-Id`. */
    readonly requestId: string | undefined
    /** The number of requests sent, including retries. */
    readonly attempts: number
    /** The idempotency key that was sent. Creates only. */
    readonly idempotencyKey: string | undefined
  }
}
