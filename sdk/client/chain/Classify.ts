/** Turns a response, or its absence, into data or a typed error. */
import * as Effect from "effect/Effect"
import { type AnyApiError, apiError, type ValidationIssue } from "../errors/ApiErrors.ts"
import type { Handler } from "./Handler.ts"
import { type Decoder, isObject, parse } from "./Decode.ts"
import { ConfigurationError, ConnectionError, DecodeError, TimeoutError } from "../errors/Errors.ts"
import { DETAIL_MAX_CHARS, RESPONSE_MAX_BYTES } from "../options/Limits.ts"
import { contextOf, type Request } from "./Request.ts"
import { parseRetryAfter } from "./Retry.ts"
import type { RawResponse, Send, SendFailure } from "./Transport.ts"

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
    detail: redact(detailOf(detail, issues, raw), request.secrets).slice(0, DETAIL_MAX_CHARS),
    retryAfter: yield* parseRetryAfter(raw.headers["retry-after"]),
    headers: raw.headers,
    missingScope: raw.status === 403 ? scopeOf(raw.headers["www-authenticate"], detail) : undefined,
    issues
  })
})

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
