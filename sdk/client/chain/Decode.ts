/** Reads a response, or its absence: decodes the data, or makes the typed error. */
import * as Effect from "effect/Effect"
import { ConfigurationError, ConnectionError, DecodeError, type ErrorContext, TimeoutError } from "../errors/Errors.ts"
import type { ApiResponse } from "./ApiResponse.ts"
import { loadInspect } from "./LoadStrict.ts"
import { asError, type Handler, type RawResponse, type Send, type SendFailure } from "./Transport.ts"
import { contextOf, type Request } from "./Request.ts"
import type { Inspect } from "./Strict.ts"
import { type AnyApiError, apiError, type ValidationIssue } from "../errors/ApiErrors.ts"
import { DETAIL_MAX_CHARS, RESPONSE_MAX_BYTES } from "../options/Limits.ts"
import { parseRetryAfter } from "./Retry.ts"
import { isObject, listIn } from "../host/View.ts"

export type Decoder = (
  request: Request,
  raw: RawResponse
) => Effect.Effect<ApiResponse<unknown>, DecodeError | ConfigurationError>

export const decoderFor = (decode: "tolerant" | "strict"): Decoder => decode === "strict" ? makeStrict() : tolerant

const tolerant: Decoder = (request, raw) => {
  const { list, unshown } = request.operation
  const parsed = parse(raw.text)
  // The specification shows that it is JSON, and no more: an error would hide that a change was made.
  if (list !== true && unshown !== undefined && (raw.text === "" || parsed !== undefined)) {
    return checked(request, raw, parsed ?? {})
  }
  const data = unwrap(request, parsed)
  const hasType = list === true ? Array.isArray(data) : isObject(data)
  return hasType ? checked(request, raw, data) : Effect.fail(notJson(request, raw))
}

const makeStrict = (): Decoder => {
  let inspect: Promise<Inspect> | undefined
  const load = Effect.tryPromise({
    try: () => inspect ??= loadInspect(),
    catch: (cause) =>
      new ConfigurationError(`The contract for decode: "strict" could not be loaded: ${asError(cause).message}`, {
        cause
      })
  })
  return (request, raw) => {
    const data = parse(raw.text)
    if (data === undefined) return Effect.fail(notJson(request, raw))
    return Effect.flatMap(load, (inspect) => {
      const mismatch = inspect(request.operation, raw.status, data)
      if (mismatch === undefined) return checked(request, raw, data)
      const subject = mismatch.field === "" ? "the response" : mismatch.field
      const text = `${subject} does not match the contract: ${mismatch.problem}`
      return Effect.fail(new DecodeError(raw.status, text, contextWith(request, raw), mismatch.field))
    })
  }
}

const checked: (...args: [...Parameters<Decoder>, data: unknown]) => ReturnType<Decoder> = (request, raw, data) => {
  const problem = isObject(data) ? request.operation.check?.(data) : undefined
  if (problem !== undefined) return Effect.fail(new DecodeError(raw.status, problem, contextWith(request, raw)))
  return Effect.succeed(toResponse(request, raw, data))
}

const toResponse = (request: Request, { headers, status }: RawResponse, data: unknown): ApiResponse<unknown> => ({
  data,
  response: {
    status,
    headers,
    requestId: headers["x-request-id"],
    attempts: request.progress.attempts,
    idempotencyKey: request.idempotencyKey
  }
})

const contextWith = (request: Request, raw: RawResponse): ErrorContext => ({
  ...contextOf(request),
  requestId: raw.headers["x-request-id"]
})

/** Without a piece of the body in the message and without a SyntaxError as the cause: both may contain a password. */
const notJson = (request: Request, raw: RawResponse): DecodeError => {
  const expected = request.operation.list === true ? "a JSON array" : "a JSON object"
  const actual = `${raw.headers["content-type"] ?? "no content type"}, ${raw.size} bytes`
  return new DecodeError(raw.status, `Expected ${expected} (got ${actual})`, contextWith(request, raw))
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Unwraps lists, which some servers wrap as `{ items: [...] }`, and those that are not shown in any way. */
const unwrap = ({ operation: { list, unshown } }: Request, data: unknown): unknown => {
  if (list !== true) return data
  if (unshown !== undefined) return listIn(data) ?? data
  return isObject(data) && Array.isArray(data["items"]) ? data["items"] : data
}

export const withClassification = (next: Send, decode: Decoder): Handler => (request) =>
  Effect.matchEffect(next(request), {
    onSuccess: (raw): ReturnType<Handler> =>
      raw.status >= 200 && raw.status < 300 ? decode(request, raw) : Effect.flip(errorOf(request, raw)),
    onFailure: (failure) => Effect.fail(sendError(request, failure))
  })

const sendError = (request: Request, failure: SendFailure) => {
  const context = contextOf(request)
  const lost = request.progress.responseLost
  switch (failure._tag) {
    case "TimedOut":
      return new TimeoutError(request.limits.timeout, lost, context)
    case "Unusable":
      return new ConfigurationError(failure.error.message, { ...context, cause: failure.error })
    case "TooLarge":
      return new DecodeError(failure.status, `The response is larger than ${RESPONSE_MAX_BYTES} bytes`, context)
    case "Encoded":
      return new DecodeError(
        failure.status,
        `The response has the content encoding ${failure.encoding.slice(0, 40)}, which this client cannot read`,
        context
      )
    case "Broken": {
      const { error, staleConnection } = failure
      if (isClosed(codeOf(error))) {
        return new ConfigurationError("The dispatcher of this client is closed", { ...context, cause: error })
      }
      return new ConnectionError(reasonOf(error), codeOf(error), lost, { ...context, staleConnection, cause: error })
    }
  }
}

const codeOf = (error: Error): string | undefined =>
  "code" in error && typeof error.code === "string" ? error.code : undefined

const isClosed = (code: string | undefined): boolean => code === "UND_ERR_CLOSED" || code === "UND_ERR_DESTROYED"

/** For a name with several addresses, Node reports an AggregateError without a message. */
const reasonOf = (error: Error): string => {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined
  return error.message || (first instanceof Error ? first.message : "the connection failed")
}

/** Makes the error of a response's status. */
const errorOf = Effect.fnUntraced(function*(request: Request, raw: RawResponse): Effect.fn.Return<AnyApiError> {
  const body = parse(raw.text)
  const detail = isObject(body) ? body["detail"] : undefined
  const issues = issuesOf(detail, request.secrets)
  return apiError({
    ...contextOf(request),
    requestId: raw.headers["x-request-id"],
    status: raw.status,
    detail: redact(redirectOf(request, raw) ?? detailOf(detail, issues, raw), request.secrets).slice(
      0,
      DETAIL_MAX_CHARS
    ),
    retryAfter: yield* parseRetryAfter(raw.headers),
    headers: raw.headers,
    missingScope: raw.status === 403 ? scopeOf(raw.headers["www-authenticate"], detail) : undefined,
    issues
  })
})

/** Redirects are not followed: the key was meant for this address, and a followed POST becomes a GET. */
const redirectOf = ({ origin, path, target }: Request, { headers, status }: RawResponse): string | undefined => {
  const location = headers["location"]
  if (status < 300 || status >= 400 || location === undefined) return undefined
  const to = URL.parse(location, origin + target)?.href ?? location
  // The same path at another base: with https, on another host, or below another prefix.
  const called = target.slice(target.lastIndexOf(path))
  const advice = to.endsWith(called) ? `Set the base URL to ${to.slice(0, -called.length)}` : "Check the base URL"
  return `The server redirects to ${to}. ${advice}`
}

const detailOf = (detail: unknown, issues: ReadonlyArray<ValidationIssue>, raw: RawResponse): string => {
  if (typeof detail === "string" && detail !== "") return detail
  if (issues.length > 0) return issues.map((issue) => `${issue.loc.join(".")}: ${issue.msg}`).join("; ")
  return `No detail in the response (${raw.headers["content-type"] ?? "no content type"}, ${raw.size} bytes)`
}

/** Takes only the three fields: some servers add the input, which may be a password. */
const issuesOf = (detail: unknown, secrets: ReadonlyArray<string>): ReadonlyArray<ValidationIssue> => {
  if (!Array.isArray(detail)) return []
  return detail.filter(isObject).map((item) => ({
    loc: Array.isArray(item["loc"]) ? item["loc"].filter(isStep) : [],
    msg: redact(String(item["msg"] ?? ""), secrets),
    type: String(item["type"] ?? "")
  }))
}

const isStep = (step: unknown): step is string | number => typeof step === "string" || typeof step === "number"

const redact = (text: string, secrets: ReadonlyArray<string>): string =>
  secrets.reduce((safe, secret) => safe.replaceAll(secret, "[redacted]"), text)

/** Reads the scope from RFC 6750's attribute, or else from the detail, where some servers put it. */
const scopeOf = (challenge: string | undefined, detail: unknown): string | undefined =>
  /\bscope="([^"]+)"/.exec(challenge ?? "")?.[1]
    ?? (typeof detail === "string" ? /\bvps:[a-z_]+/.exec(detail)?.[0] : undefined)
