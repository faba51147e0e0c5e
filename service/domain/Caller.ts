/** The origin of a request, as the activity feed records it. */
export interface Caller {
  readonly accountId: number
  readonly apiKeyId: number
  /** The `X-Request-Id` of the request. */
  readonly requestId: string | null
  /** The request's span, as a W3C traceparent; absent when nothing is traced. */
  readonly trace?: string | undefined
}
