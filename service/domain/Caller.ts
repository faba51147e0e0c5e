/** The origin of a request, as the activity feed records it: a program with an API key, or a person in the panel. */
export interface Caller {
  readonly accountId: number
  /** Null for a person. */
  readonly apiKeyId: number | null
  /** The person in the panel; absent for an API key. */
  readonly personId?: number | undefined
  /** The `X-Request-Id` of the request. */
  readonly requestId: string | null
  /** The request's span, as a W3C traceparent; absent when nothing is traced. */
  readonly trace?: string | undefined
}

/** The caller as a task records it. */
export const authorOf = ({ apiKeyId, personId, requestId, trace }: Caller) => ({
  actor: apiKeyId === null ? "panel" as const : "api_key" as const,
  apiKeyId,
  personId,
  requestId,
  trace
})
