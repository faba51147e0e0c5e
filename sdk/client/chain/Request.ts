/** Builds a request from an operation and its arguments. Invalid arguments fail before anything is sent. */
import * as Effect from "effect/Effect"
import { type CallLimits, limitsOf, problemWith, type Settings } from "../options/Config.ts"
import { ArgumentError, type ConfigurationError, type ErrorContext } from "../errors/Errors.ts"
import type { CallSignal, CreateOptions } from "../options/Options.ts"
import type { UnshownRecords } from "../host/Shapes.ts"

// An operation of the API as the chain needs it at run time.

/**
 * When an operation may be retried:
 * - `read`: changes nothing, so always
 * - `purchase`: costs money, and its idempotency key makes it repeatable
 * - `mutation`: only if the server did not do it: it said so, or nothing was sent
 * - `idempotent`: like `mutation`, and if a kept-alive connection was closed before the response began, because a
 *   second request changes nothing more
 * - `once`: like `mutation`, but not after a 502 either. A 502 may hide a success, and a retry would create a second
 *   password, system or snapshot, or restore a disk again and lose what was written since the first restore
 */
export type RetryKind = "read" | "purchase" | "mutation" | "idempotent" | "once"

export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** Below the base URL, with `:name` for each path parameter. */
  readonly path: string
  /** The names of the path parameters, in order. */
  readonly params: ReadonlyArray<string>
  readonly retry: RetryKind
  /** True if the call takes a JSON body. */
  readonly body?: true
  /** The names of the query parameters that the call takes. */
  readonly query?: ReadonlyArray<string>
  /** Query parameters that every request of this operation has. */
  readonly fixedQuery?: Readonly<Record<string, string | boolean>>
  /** True if the response is an array, which some servers wrap as `{ items: [...] }`. */
  readonly list?: true
  /** The record in the response, of which the specification shows no field. */
  readonly unshown?: keyof UnshownRecords | undefined
  /** Returns the problem with a response that has the right JSON type but must not be used. */
  readonly check?: (data: Readonly<Record<string, unknown>>) => string | undefined
}

/** The input of a call. */
export interface CallInput {
  /** The values of the path parameters, in order; further elements are ignored. */
  readonly params: ReadonlyArray<unknown>
  readonly query: Readonly<Record<string, unknown>> | undefined
  readonly body: unknown
}

/** The progress of a call, for the error that may end it. */
export interface Progress {
  /** The number of attempts started. */
  attempts: number
  /** True if any attempt sent a request and got no response: it may have been processed. */
  responseLost: boolean
}

/** A request in the chain. Each step adds to it. */
export interface Request {
  readonly operation: Operation
  /** Below the base URL, for messages. */
  readonly path: string
  readonly origin: string
  /** The path and query that are sent. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly limits: CallLimits
  readonly signal: CallSignal | undefined
  readonly idempotencyKey: string | undefined
  readonly onMismatch: "error" | "accept"
  /** Values that must never appear in a message: the API key and passwords. */
  readonly secrets: ReadonlyArray<string>
  readonly progress: Progress
}

export const contextOf = (request: Request): ErrorContext => ({
  method: request.operation.method,
  path: request.path,
  attempts: request.progress.attempts,
  idempotencyKey: request.idempotencyKey
})

export const buildRequest = Effect.fnUntraced(function*(
  settings: Settings,
  operation: Operation,
  input: CallInput,
  options: CreateOptions
): Effect.fn.Return<Request, ArgumentError | ConfigurationError> {
  if (settings.problem !== undefined) return yield* Effect.fail(settings.problem)
  const base = yield* settings.baseUrl
  const path = yield* fillPath(operation, input.params)
  const query = yield* queryOf(operation, input.query ?? {})
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
      ...(yield* maxChargeHeader(options.maxCharge)),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    body,
    limits,
    signal: options.signal,
    idempotencyKey: options.idempotencyKey,
    onMismatch: yield* onMismatchOf(options.onMismatch),
    secrets: secretsIn(input.body),
    progress: { attempts: 0, responseLost: false }
  }
})

const refuse = (message: string) => Effect.fail(new ArgumentError(message))

const fillPath = (
  { params, path }: Operation,
  values: ReadonlyArray<unknown>
): Effect.Effect<string, ArgumentError> => {
  let filled = path
  for (const [index, name] of params.entries()) {
    const value = values[index]
    // A string or a fraction could address another resource, or another endpoint ("7/stop").
    if (!Number.isSafeInteger(value)) return refuse(`${name} must be an integer, got ${kindOf(value)}`)
    filled = filled.replace(`:${name}`, String(value))
  }
  return Effect.succeed(filled)
}

const kindOf = (value: unknown): string => typeof value === "number" || value === null ? String(value) : typeof value

const queryOf = (
  { fixedQuery, query = [] }: Operation,
  values: Readonly<Record<string, unknown>>
): Effect.Effect<string, ArgumentError> => {
  const parts = Object.entries(fixedQuery ?? {}).map(([name, value]) => `${name}=${value}`)
  for (const name of query) {
    const value = values[name]
    if (value === undefined) continue
    if (typeof value === "number" && !Number.isSafeInteger(value)) return refuse(`${name} must be an integer`)
    parts.push(`${name}=${encodeURIComponent(String(value))}`)
  }
  return Effect.succeed(parts.length === 0 ? "" : `?${parts.join("&")}`)
}

/** Set by the client: another value would break the call, or the guarantee that every attempt sends the same key. */
const RESERVED = new Set([
  "accept",
  "authorization",
  "connection",
  "content-length",
  "content-type",
  "host",
  "idempotency-key",
  "transfer-encoding",
  "vps-max-charge"
])
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

const ownHeaders = (
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Readonly<Record<string, string>>, ArgumentError> => {
  const own: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (lower === "idempotency-key") return refuse("Set Idempotency-Key with the idempotencyKey option of a create")
    if (lower === "vps-max-charge") return refuse("Set VPS-Max-Charge with the maxCharge option")
    if (RESERVED.has(lower)) return refuse(`The ${lower} header is set by the client`)
    if (!HEADER_NAME.test(name)) return refuse("A header name contains invalid characters")
    if (typeof value !== "string" || !HEADER_VALUE.test(value)) {
      return refuse(`The ${lower} header contains invalid characters`)
    }
    own[lower] = value
  }
  return Effect.succeed(own)
}

const onMismatchOf = (wanted: CreateOptions["onMismatch"] = "error") =>
  wanted === "error" || wanted === "accept"
    ? Effect.succeed(wanted)
    : refuse("onMismatch must be \"error\" or \"accept\"")

const CURRENCY = /^[A-Z]{3}$/
const AMOUNT_MAX = 999_999_999_999

/** The precondition of a charge. Without a valid one, any price would be paid, so it is checked here. */
const maxChargeHeader = (
  max: CreateOptions["maxCharge"]
): Effect.Effect<Readonly<Record<string, string>>, ArgumentError> => {
  if (max === undefined) return Effect.succeed({})
  const { amount, currency } = max
  if (typeof amount !== "number" || !(amount >= 0 && amount <= AMOUNT_MAX)) {
    return refuse("maxCharge.amount must be a number, 0 or more, in units of the currency")
  }
  if (typeof currency !== "string" || !CURRENCY.test(currency)) {
    return refuse("maxCharge.currency must be a currency code of three capital letters, like EUR")
  }
  // Rounded down: a higher charge than the limit must not pass.
  const hundredths = Math.floor(Math.round(amount * 1e6) / 1e4)
  const cents = String(hundredths % 100).padStart(2, "0")
  return Effect.succeed({ "vps-max-charge": `${Math.trunc(hundredths / 100)}.${cents} ${currency}` })
}

const encode = (body: unknown): Effect.Effect<string, ArgumentError> => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return refuse("The body must be an object")
  return Effect.try({
    try: () => JSON.stringify(body),
    catch: () => new ArgumentError("The body cannot be serialized as JSON")
  })
}

const PASSWORD_FIELDS = ["root_password", "password"] as const

const secretsIn = (body: unknown): ReadonlyArray<string> => {
  if (typeof body !== "object" || body === null) return []
  const fields = body as Readonly<Record<string, unknown>>
  return PASSWORD_FIELDS.map((name) => fields[name]).filter((value) => typeof value === "string").filter(Boolean)
}
