/** From an operation and its arguments to a request; whatever is wrong with them is said before anything is sent. */
import * as Effect from "effect/Effect"
import { type CallLimits, limitsOf, problemWith, type Settings } from "../options/Config.ts"
import { ArgumentError, type ConfigurationError, type ErrorContext } from "../errors/Errors.ts"
import { type Operation, type OperationName, operations } from "../calls/Operations.ts"
import type { CreateOptions } from "../options/Options.ts"

/** What a call is given. */
export interface CallInput {
  readonly params?: Readonly<Record<string, number>>
  readonly query?: Readonly<Record<string, number | string | boolean | undefined>>
  readonly body?: unknown
}

/** What has happened to a call so far, for whoever ends it. */
export interface Progress {
  /** Attempts begun. */
  attempts: number
  /** A request was sent and not answered, by any attempt: it may have been carried out. */
  responseLost: boolean
}

/** A request on its way down the chain; each step adds to it. */
export interface Request {
  readonly operation: Operation
  /** Below the base URL, for messages. */
  readonly path: string
  readonly origin: string
  /** Path and query as sent. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly limits: CallLimits
  readonly signal: AbortSignal | undefined
  readonly idempotencyKey: string | undefined
  /** What must never show in a message: the API key, passwords. */
  readonly secrets: ReadonlyArray<string>
  readonly progress: Progress
}

/** The answer to a call: the data, and the response it came with. */
export interface ApiResponse<T> {
  readonly data: T
  readonly response: {
    readonly status: number
    /** Names in lower case; one that came more than once is joined by a comma. */
    readonly headers: Readonly<Record<string, string>>
    /** The host's `X-Request-Id`. */
    readonly requestId: string | undefined
    /** Requests that were sent until this answer. */
    readonly attempts: number
    /** Of a create: the key that was sent. */
    readonly idempotencyKey: string | undefined
  }
}

export const contextOf = (request: Request): ErrorContext => ({
  method: request.operation.method,
  path: request.path,
  attempts: request.progress.attempts,
  idempotencyKey: request.idempotencyKey
})

export const build = Effect.fnUntraced(function*(
  settings: Settings,
  name: OperationName,
  input: CallInput,
  options: CreateOptions
): Effect.fn.Return<Request, ArgumentError | ConfigurationError> {
  if (settings.problem !== undefined) return yield* Effect.fail(settings.problem)
  const operation: Operation = operations[name]
  const base = yield* settings.baseUrl
  const path = yield* fillPath(operation.path, input.params)
  const query = yield* queryOf(input.query)
  const own = yield* ownHeaders(options.headers)
  const limits = limitsOf(settings, options)
  const problem = problemWith(limits)
  if (problem !== undefined) return yield* Effect.fail(problem)
  const body = operation.body === true ? yield* encode(input.body) : undefined
  return {
    operation,
    path,
    origin: base.origin,
    target: base.prefix + path + query,
    headers: {
      accept: "application/json",
      "user-agent": settings.userAgent,
      ...own,
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    body,
    limits,
    signal: options.signal,
    idempotencyKey: options.idempotencyKey,
    secrets: secretsIn(input.body),
    progress: { attempts: 0, responseLost: false }
  }
})

const refuse = (message: string) => Effect.fail(new ArgumentError(message))

const fillPath = (template: string, params: CallInput["params"] = {}): Effect.Effect<string, ArgumentError> => {
  let path = template
  for (const [name, value] of Object.entries(params)) {
    // A string or a fraction would name another thing than meant, or another endpoint ("7/stop").
    if (!Number.isSafeInteger(value)) return refuse(`${name} must be a whole number, got ${kindOf(value)}`)
    path = path.replace(`:${name}`, String(value))
  }
  return Effect.succeed(path)
}

const kindOf = (value: unknown): string => typeof value === "number" || value === null ? String(value) : typeof value

const queryOf = (query: CallInput["query"] = {}): Effect.Effect<string, ArgumentError> => {
  const parts: Array<string> = []
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (typeof value === "number" && !Number.isSafeInteger(value)) return refuse(`${name} must be a whole number`)
    parts.push(`${name}=${encodeURIComponent(value)}`)
  }
  return Effect.succeed(parts.length === 0 ? "" : `?${parts.join("&")}`)
}

/** These are the client's: another value would break the call, or the promise that a key is sent on every attempt. */
const RESERVED = new Set([
  "accept",
  "authorization",
  "connection",
  "content-length",
  "content-type",
  "host",
  "idempotency-key",
  "transfer-encoding"
])
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

const ownHeaders = (
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Readonly<Record<string, string>>, ArgumentError> => {
  const own: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (lower === "idempotency-key") return refuse("The option idempotencyKey of a create sets Idempotency-Key")
    if (RESERVED.has(lower)) return refuse(`The header ${lower} is set by the client`)
    if (!HEADER_NAME.test(name)) return refuse("The name of a header holds characters that no header name can")
    if (typeof value !== "string" || !HEADER_VALUE.test(value)) {
      return refuse(`The header ${lower} holds characters that no header can carry`)
    }
    own[lower] = value
  }
  return Effect.succeed(own)
}

const encode = (body: unknown): Effect.Effect<string, ArgumentError> => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return refuse("The body must be an object")
  return Effect.try({
    try: () => JSON.stringify(body),
    catch: () => new ArgumentError("The body cannot be written as JSON")
  })
}

const PASSWORD_FIELDS = ["root_password", "password"] as const

const secretsIn = (body: unknown): ReadonlyArray<string> => {
  if (typeof body !== "object" || body === null) return []
  const fields = body as Readonly<Record<string, unknown>>
  return PASSWORD_FIELDS.map((name) => fields[name]).filter((value) => typeof value === "string").filter(Boolean)
}
