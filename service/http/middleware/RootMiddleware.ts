/**
 * What stands around every route: the request id, the report of each answer, and one shape for what no handler
 * answers: unknown paths, wrong methods, bodies that are too large, and defects.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { randomBytes } from "node:crypto"
import { API_PREFIX } from "#contract/Api"
import { StorageUnavailable } from "../../domain/Errors.ts"
import { Limits, type LimitValues } from "../../config/Limits.ts"
import { withoutKeys } from "../../auth/ApiKeyToken.ts"
import { currentTrace, Tracing } from "../../observability/Tracing.ts"
import { RequestId, RequestTrace } from "./RequestContext.ts"
import { errorResponse, toErrorResponse } from "../Errors.ts"
import { Readiness } from "../system/Health.ts"
import { ConnectionGuards } from "../connection/ConnectionGuards.ts"
import { requestsUpgrade } from "../connection/HeaderChecks.ts"
import { isLenientMatch, pathOf, routeOf } from "./RouteTable.ts"

/** One answered request, for the log and the emulator. */
export interface RequestSummary {
  readonly requestId: string
  readonly method: string
  /** Path with its query, as it came: whoever writes it down leaves out what may be a secret. */
  readonly url: string
  /** Pattern of its route; undefined when there is none. */
  readonly route: string | undefined
  readonly status: number
  /** From the request's arrival to the finished answer, in milliseconds. */
  readonly millis: number
  readonly idempotencyKey: string | undefined
  readonly replayed: boolean
}

/** Cheap and synchronous, as it runs on every request. */
export type RequestObserver = (answered: RequestSummary, request: HttpServerRequest.HttpServerRequest) => void

/** Who wants to hear of every answer: nobody unless configured. */
export class RequestObservers extends Context.Reference<ReadonlyArray<RequestObserver>>(
  "pulumi-vps/service/Observers",
  { defaultValue: () => [] }
) {}

const REQUEST_ID_FORM = /^[\x21-\x7e]{1,128}$/

/** Told apart from other processes' by chance, and from each other by a count: a random one each would cost more. */
const PROCESS = randomBytes(8).toString("hex")
let count = 0

const requestIdOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const given = request.headers["x-request-id"]
  // Anything else could not be logged or stored safely; it is replaced, not refused.
  return given !== undefined && REQUEST_ID_FORM.test(given) ? given : `req-${PROCESS}-${++count}`
}

const notRouted = (request: HttpServerRequest.HttpServerRequest) => {
  const methods = routeOf(request.url)?.methods
  // A path that cannot be decoded fits a pattern, and leads nowhere all the same.
  return methods === undefined || methods.includes(request.method)
    ? errorResponse(404, `There is nothing at ${withoutKeys(pathOf(request.url))}.`)
    : errorResponse(405, `${request.method} is not allowed here; allowed: ${methods.join(", ")}.`, {
      allow: methods.join(", ")
    })
}

/** The body was longer than `BODY_BYTES_MAX`, or the connection broke while it was read. */
const isBodyFailure = (error: unknown): error is HttpServerError.HttpServerError =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RequestParseError"

const cutOff = errorResponse(
  503,
  "The service stopped before this was done. Ask again; a create with the same Idempotency-Key."
)

const makeFailed = (isReady: () => boolean, limits: LimitValues) => {
  const tooLarge = errorResponse(413, `The body is larger than ${limits.BODY_BYTES_MAX} bytes.`, {
    connection: "close"
  })
  return (requestId: string) => <E>(cause: Cause.Cause<E>): Effect.Effect<HttpServerResponse.HttpServerResponse, E> => {
    const error = Cause.squash(cause)
    if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
      return Effect.succeed(notRouted(error.reason.request))
    }
    if (Cause.hasInterrupts(cause)) return isReady() ? Effect.failCause(cause) : Effect.succeed(cutOff)
    if (isBodyFailure(error)) return Effect.succeed(tooLarge)
    // A read that found no database: no use case expects that.
    if (error instanceof StorageUnavailable) {
      return Effect.as(
        Effect.logError(`A request could not be answered: ${error.message}`),
        toErrorResponse(error, limits)
      )
    }
    return Effect.as(
      Effect.annotateLogs(Effect.logError("A request met a defect of the service", cause), { request_id: requestId }),
      errorResponse(500, "The service failed unexpectedly; the operator's log has the details under this request's id.")
    )
  }
}

const report = (
  observers: ReadonlyArray<RequestObserver>,
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse,
  requestId: string,
  began: number
) => {
  const answered: RequestSummary = {
    requestId,
    method: request.method,
    url: request.url,
    route: routeOf(request.url)?.pattern,
    status: response.status,
    millis: performance.now() - began,
    idempotencyKey: request.headers["idempotency-key"],
    replayed: response.headers["idempotent-replayed"] === "true"
  }
  for (const observe of observers) observe(answered, request)
}

/** No answer is to be guessed at. */
const GUARDED = { "x-content-type-options": "nosniff" }
/** What is a customer's is not to be kept on the way; an asset says otherwise by itself. */
const UNKEPT = { ...GUARDED, "cache-control": "no-store" }

/** What every answer says besides what its handler said: few headers, as this runs on every request. */
const sealed = (response: HttpServerResponse.HttpServerResponse, requestId: string, isLast: boolean) => {
  const guard = response.headers["cache-control"] === undefined ? UNKEPT : GUARDED
  const named = { ...guard, "x-request-id": requestId }
  return HttpServerResponse.setHeaders(response, isLast ? { ...named, connection: "close" } : named)
}

/** What is answered without asking the router; undefined for all that is as it should be. */
const stopped = (request: HttpServerRequest.HttpServerRequest, isReady: boolean) => {
  if (!isReady && request.url.startsWith(API_PREFIX)) return draining
  return isLenientMatch(request.url) ? notRouted(request) : undefined
}

const tooLate = errorResponse(400, "The connection was ended by the answer to a request before this one.")

const draining = errorResponse(503, "The service is stopping; another one will answer shortly.")

/** Outermost of the router. */
export const layer = HttpRouter.middleware(
  // Taken while the layer is built: what App provides does not reach the requests' own context.
  Effect.gen(function*() {
    const observers = yield* RequestObservers
    const traced = yield* Tracing
    const { isReady } = yield* Readiness
    const { rejectionOf, pipelining } = yield* ConnectionGuards
    const failed = makeFailed(isReady, yield* Limits)
    return (httpEffect) =>
      Effect.gen(function*() {
        const began = performance.now()
        const request = yield* HttpServerRequest.HttpServerRequest
        const requestId = requestIdOf(request)
        const turn = pipelining.waitForPrevious(request)
        if (turn !== undefined) yield* turn
        const instead = pipelining.isClosed(request) ? tooLate : rejectionOf(request) ?? stopped(request, isReady())
        const answered = instead === undefined ? httpEffect : Effect.succeed(instead)
        const told = traced ? Effect.provideService(answered, RequestTrace, yield* currentTrace) : answered
        const response = yield* told.pipe(
          Effect.provideService(RequestId, requestId),
          Effect.catchCause(failed(requestId))
        )
        if (traced) yield* Effect.annotateCurrentSpan("vps.request.id", requestId)
        if (observers.length > 0) report(observers, request, response, requestId, began)
        // A connection that stays open would hold the stopping service up until it times out.
        const answer = sealed(response, requestId, !isReady() || requestsUpgrade(request))
        if (answer.headers["connection"] === "close") pipelining.stopReading(request)
        return answer
      })
  }),
  { global: true }
)
