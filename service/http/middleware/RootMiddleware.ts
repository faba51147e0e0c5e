/**
 * The outermost middleware: adds the request id, notifies observers of each response, and gives errors outside of
 * handlers the common shape: unknown paths, wrong methods, bodies that are too large, and bugs.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { randomBytes } from "node:crypto"
import { API_PREFIX } from "@pulumi-vps/contract/Api"
import { StorageUnavailable } from "../../domain/Errors.ts"
import { Limits, type LimitValues } from "../../config/Limits.ts"
import { redactKeys } from "../../auth/ApiKeyToken.ts"
import { currentTrace, Tracing } from "../../runtime/Tracing.ts"
import { RequestId, RequestTrace } from "./RequestContext.ts"
import { errorResponse, toErrorResponse } from "../Errors.ts"
import { Readiness } from "../system/Health.ts"
import { ConnectionGuards } from "../connection/ConnectionGuards.ts"
import { requestsUpgrade } from "../connection/HeaderChecks.ts"
import { makeAnonymousLimit } from "./RateLimitHeaders.ts"
import { isLenientMatch, pathOf, routeOf } from "./RouteTable.ts"

/** A completed request, for the log and the emulator. */
export interface RequestSummary {
  readonly requestId: string
  readonly method: string
  /** The path and query as received. Redact it before writing it anywhere: it may contain secrets. */
  readonly url: string
  /** The pattern of its route; undefined if there is none. */
  readonly route: string | undefined
  readonly status: number
  /** From the request's arrival to its finished response, in milliseconds. */
  readonly millis: number
  readonly idempotencyKey: string | undefined
  readonly replayed: boolean
}

/** Must be cheap and synchronous, because it runs on every request. */
export type RequestObserver = (summary: RequestSummary, request: HttpServerRequest.HttpServerRequest) => void

/** Notified of every completed request; empty by default. */
export class RequestObservers extends Context.Reference<ReadonlyArray<RequestObserver>>(
  "@pulumi-vps/service/RequestObservers",
  { defaultValue: () => [] }
) {}

const REQUEST_ID_FORM = /^[\x21-\x7e]{1,128}$/

/** A random prefix per process plus a counter makes ids unique, and is cheaper than a random id for each request. */
const PROCESS = randomBytes(8).toString("hex")
let count = 0

const requestIdOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const requested = request.headers["x-request-id"]
  // Any other form, or an API key in its place, cannot be logged or stored safely; it is replaced instead of rejected.
  return requested !== undefined && REQUEST_ID_FORM.test(requested) && redactKeys(requested) === requested
    ? requested
    : `req-${PROCESS}-${++count}`
}

const notRouted = (request: HttpServerRequest.HttpServerRequest) => {
  const methods = routeOf(request.url)?.methods
  // A path that cannot be decoded may match a pattern and still has no route.
  return methods === undefined || methods.includes(request.method)
    ? errorResponse(404, `Path not found: ${redactKeys(pathOf(request.url))}`)
    : errorResponse(405, `${request.method} is not allowed. Allowed: ${methods.join(", ")}.`, {
      allow: methods.join(", ")
    })
}

/** The body exceeded `BODY_BYTES_MAX`, or the connection was lost while reading it. */
const isBodyFailure = (error: unknown): error is HttpServerError.HttpServerError =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RequestParseError"

const interrupted = errorResponse(
  503,
  "The service stopped before completing the request. Retry it. A create needs the same Idempotency-Key."
)

/** The response to a request without a route, or its rejection. */
type NotRouted = (request: HttpServerRequest.HttpServerRequest) => HttpServerResponse.HttpServerResponse

const makeFailureHandler = (isReady: () => boolean, limits: LimitValues, notRouted: NotRouted) => {
  const tooLarge = errorResponse(413, `The body is larger than ${limits.BODY_BYTES_MAX} bytes.`, {
    connection: "close"
  })
  return (requestId: string) => <E>(cause: Cause.Cause<E>): Effect.Effect<HttpServerResponse.HttpServerResponse, E> => {
    const error = Cause.squash(cause)
    if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
      return Effect.succeed(notRouted(error.reason.request))
    }
    if (Cause.hasInterrupts(cause)) return isReady() ? Effect.failCause(cause) : Effect.succeed(interrupted)
    if (isBodyFailure(error)) return Effect.succeed(tooLarge)
    // A read without a database, which no use case declares.
    if (error instanceof StorageUnavailable) {
      return Effect.as(Effect.logError(`Request failed: ${error.message}`), toErrorResponse(error, limits))
    }
    return Effect.as(
      Effect.annotateLogs(Effect.logError("Request failed because of a bug in the service", cause), {
        request_id: requestId
      }),
      errorResponse(500, "Internal error. The operator's log has the details under this request's id.")
    )
  }
}

const notify = (
  observers: ReadonlyArray<RequestObserver>,
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse,
  requestId: string,
  startedAt: number
) => {
  const summary: RequestSummary = {
    requestId,
    method: request.method,
    url: request.url,
    route: routeOf(request.url)?.pattern,
    status: response.status,
    millis: performance.now() - startedAt,
    idempotencyKey: request.headers["idempotency-key"],
    replayed: response.headers["idempotent-replayed"] === "true"
  }
  for (const observe of observers) observe(summary, request)
}

/** Browsers must not guess content types. */
const NOSNIFF = { "x-content-type-options": "nosniff" }
/** Customer data must not be cached on the way; static assets set their own `cache-control`. */
const NO_STORE = { ...NOSNIFF, "cache-control": "no-store" }

/** Adds the headers of every response: few, because this runs on every request. */
const withCommonHeaders = (response: HttpServerResponse.HttpServerResponse, requestId: string, isLast: boolean) => {
  const caching = response.headers["cache-control"] === undefined ? NO_STORE : NOSNIFF
  const headers = { ...caching, "x-request-id": requestId }
  return HttpServerResponse.setHeaders(response, isLast ? { ...headers, connection: "close" } : headers)
}

/** Documents that need no API key, and take more to send than a health check. */
const DOCUMENTS = new Set(["/openapi.json", "/docs", "/docs/reference.js"])

interface RejectionSources {
  readonly isServing: () => boolean
  readonly countAnonymous: Effect.Success<typeof makeAnonymousLimit>
}

const makeRejections = ({ countAnonymous, isServing }: RejectionSources) => {
  const unrouted: NotRouted = (request) => countAnonymous(request).rejection ?? notRouted(request)
  /** A rejection that needs no routing; undefined for regular requests. */
  const early = (request: HttpServerRequest.HttpServerRequest) => {
    if (isEncoded(request)) return encoded
    if (request.url.startsWith(API_PREFIX)) {
      if (!isServing()) return draining
    } else if (DOCUMENTS.has(pathOf(request.url))) return countAnonymous(request).rejection
    return isLenientMatch(request.url) ? unrouted(request) : undefined
  }
  return { early, unrouted }
}

/** A coding would be decoded with limits of its own, or its bytes be taken for JSON. */
const isEncoded = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["content-encoding"] !== undefined && headers["content-encoding"].trim().toLowerCase() !== "identity"

const encoded = errorResponse(415, "Content-Encoding is not supported. Send the body without it.", {
  "accept-encoding": "identity"
})

const draining = errorResponse(503, "The service is shutting down. Retry shortly.")

/** The router's outermost middleware. */
export const layer = HttpRouter.middleware(
  // Read while the layer is built: services that App provides are not in the requests' context.
  Effect.gen(function*() {
    const observers = yield* RequestObservers
    const traced = yield* Tracing
    const { isReady, isServing } = yield* Readiness
    const { beforeSending, rejectionOf } = yield* ConnectionGuards
    const { early, unrouted } = makeRejections({ isServing, countAnonymous: yield* makeAnonymousLimit })
    const handleFailure = makeFailureHandler(isReady, yield* Limits, unrouted)
    return (httpEffect) =>
      Effect.gen(function*() {
        const startedAt = performance.now()
        const request = yield* HttpServerRequest.HttpServerRequest
        const requestId = requestIdOf(request)
        const rejection = rejectionOf(request) ?? early(request)
        const handled = rejection === undefined ? httpEffect : Effect.succeed(rejection)
        const work = traced ? Effect.provideService(handled, RequestTrace, yield* currentTrace) : handled
        const response = yield* work.pipe(
          Effect.provideService(RequestId, requestId),
          Effect.catchCause(handleFailure(requestId))
        )
        if (traced) yield* Effect.annotateCurrentSpan("vps.request.id", requestId)
        if (observers.length > 0) notify(observers, request, response, requestId, startedAt)
        // An open connection would delay the shutdown until it times out.
        const completed = withCommonHeaders(response, requestId, !isReady() || requestsUpgrade(request))
        beforeSending(request, completed)
        return completed
      })
  }),
  { global: true }
)
