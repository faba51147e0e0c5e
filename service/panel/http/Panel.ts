/**
 * The panel's calls: finds the route, refuses other sites, identifies the person, checks their role, then decodes and
 * runs the call. A service loads this module with the first call.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { HttpServerRequest, ParsedSearchParams } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type { Rejected } from "../../auth/Rejected.ts"
import { Config } from "../../config/Config.ts"
import { Payment } from "../../config/Payment.ts"
import { Limits } from "../../config/Limits.ts"
import { TrustedProxies } from "../../http/connection/ClientAddress.ts"
import { errorResponse, toErrorResponse } from "../../http/Errors.ts"
import { FaultHook } from "../../http/FaultHook.ts"
import type { AllHandlers } from "../../http/handlers/ApiRoutes.ts"
import { RequestId, RequestTrace } from "../../http/middleware/RequestContext.ts"
import { pathOf } from "../../http/middleware/RouteTable.ts"
import { ServiceRuntime } from "../../ServiceRuntime.ts"
import { compressed } from "./Compression.ts"
import { originRejection, tokenOf } from "./Cookie.ts"
import { accountIn, admit, type Admitted, assertMay } from "./Permission.ts"
import { refusedResponse, type Visit } from "./Visitor.ts"
import { type Attempts, makeRefusedSignIns } from "../../people/RefusedSignIns.ts"
import { makeConnect } from "./console/Console.ts"
import { CONSOLE_PATH } from "../contract/AccountCalls.ts"
import { makeEvents } from "./events/Events.ts"
import type { Found, PanelError, PanelRoute } from "./Handlers.ts"
import { makeRates } from "./Rates.ts"
import { makeFinder, makeRoutes } from "./Routes.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Responds to one call. */
export type Handle = (request: HttpServerRequest) => Effect.Effect<Response, never, ParsedSearchParams>

const BAD_REQUEST = 400
const FORBIDDEN = 403

const REJECTED: Readonly<Record<Rejected["reason"], number>> = {
  missing: 404,
  conflict: 409,
  invalid: BAD_REQUEST,
  forbidden: FORBIDDEN
}

const makeRespond = Effect.gen(function*() {
  const limits = yield* Limits
  const { run } = yield* ServiceRuntime
  const { panelUrl } = yield* run(Config)
  const host = { panelUrl, howToPay: yield* run(Payment) }
  return Effect.match({
    onSuccess: (value: unknown): Response =>
      HttpServerResponse.isHttpServerResponse(value) ? value : HttpServerResponse.jsonUnsafe(value),
    onFailure: (error: PanelError): Response => {
      if (error._tag === "Refused") return refusedResponse(error)
      if (error._tag === "CommandRejected") return errorResponse(BAD_REQUEST, error.message)
      return error._tag === "Rejected"
        ? errorResponse(REJECTED[error.reason], error.message)
        : toErrorResponse(error, limits, host)
    }
  })
})

const notFound = (path: string, methods: ReadonlyArray<string>): Response => {
  if (methods.length === 0) return errorResponse(404, `Path not found: ${path}`)
  const allow = methods.join(", ")
  return errorResponse(405, `This method is not allowed. Allowed: ${allow}.`, { allow })
}

/** A visitor with all that any handler may need to know. */
const visitorOf = (context: Context.Context<never>, found: Found, visit: Visit, signedIn: Admitted | undefined) => {
  const accountId = accountIn(found)
  if (signedIn === undefined || accountId === undefined) return { ...visit, ...signedIn }
  const trace = Context.get(context, RequestTrace)
  const { requestId } = visit
  return {
    ...visit,
    ...signedIn,
    caller: { accountId, apiKeyId: null, personId: signedIn.person.id, requestId, trace }
  }
}

/** The calls whose 403 is a refused attempt to sign in. */
const ATTEMPTS: Readonly<Record<string, Attempts>> = {
  "/panel/api/sign-in/link": "links",
  "/panel/api/sign-in/invitation": "links",
  "/panel/api/sign-in/invitation/accept": "links",
  "/panel/api/sign-in/invitation/decline": "links",
  "/panel/api/sign-in/passkey": "passkeys",
  "/panel/api/session/fresh": "confirmations"
}

/** Reads of an account, or of all: their responses contain no secret. */
const readsOnly = ({ access, method }: PanelRoute): boolean =>
  method === "GET" && (access === "account" || access === "operator")

/** Runs an admitted call: decodes its request, checks permission and how recent the sign-in is, then executes it. */
const makeExecute = Effect.fnUntraced(function*(refuseSignIn: Effect.Success<typeof makeRefusedSignIns>) {
  const { run } = yield* ServiceRuntime
  const respond = yield* makeRespond
  return Effect.fnUntraced(function*(found: Found, request: HttpServerRequest, by: Visit & Partial<Admitted>) {
    const { decoder, handle, path } = found.route
    const head = decoder.head({ request, path: found.params, query: yield* ParsedSearchParams })
    if (Result.isFailure(head)) return head.failure
    const allowed = yield* run(Effect.result(assertMay(found.route, head.success.query, by)))
    if (Result.isFailure(allowed)) return refusedResponse(allowed.failure)
    const decoded = decoder.body === undefined ? head : yield* decoder.body(head.success)
    if (Result.isFailure(decoded)) return decoded.failure
    const handled = yield* run(respond(handle(decoded.success, by)))
    const response = readsOnly(found.route) ? yield* compressed(request, handled) : handled
    const attempts = ATTEMPTS[path]
    if (attempts !== undefined && response.status === FORBIDDEN) yield* refuseSignIn(attempts, by)
    return response
  })
})

const makeVisitOf = Effect.gen(function*() {
  const { clientAddress, origin } = yield* TrustedProxies
  const { panelUrl } = yield* (yield* ServiceRuntime).run(Config)
  return (context: Context.Context<never>, request: HttpServerRequest): Visit => ({
    browser: { address: clientAddress(request), agent: request.headers["user-agent"] ?? "" },
    origin: panelUrl === "" ? origin(request) : new URL(panelUrl).origin,
    token: tokenOf(request),
    requestId: Context.get(context, RequestId)
  })
})

/** Opens the WebSocket of a console. */
const makeOpenConsole = Effect.gen(function*() {
  const { origin } = yield* TrustedProxies
  const visitOf = yield* makeVisitOf
  const connect = yield* makeConnect
  const respond = yield* makeRespond
  return Effect.fnUntraced(function*(request: HttpServerRequest) {
    const visit = visitOf(yield* Effect.context<never>(), request)
    // The same-origin policy of browsers does not cover WebSockets.
    if (![visit.origin, origin(request)].includes(request.headers["origin"] ?? "")) {
      return errorResponse(403, "Only the panel's own pages may open a console.")
    }
    return yield* respond(connect(request, visit))
  })
})

/** Built once, with what the service's own routes are built with. */
export const make = Effect.fnUntraced(function*(handlers: AllHandlers) {
  const { run } = yield* ServiceRuntime
  const { origin } = yield* TrustedProxies
  const visitOf = yield* makeVisitOf
  const injectFaults = yield* FaultHook
  const refuseSignIn = yield* makeRefusedSignIns
  const execute = yield* makeExecute(refuseSignIn)
  const rates = yield* makeRates
  const openConsole = yield* makeOpenConsole
  const find = makeFinder(makeRoutes(handlers, { events: yield* makeEvents }))

  const answer = Effect.fnUntraced(function*(found: Found, request: HttpServerRequest) {
    const context = yield* Effect.context<never>()
    const visit = visitOf(context, request)
    const rejection = originRejection(request, [visit.origin, origin(request)])
    if (rejection !== undefined) return errorResponse(403, rejection)
    const admitted = yield* run(Effect.result(admit(found, visit)))
    if (Result.isFailure(admitted)) {
      const tooMany = admitted.failure.status === 401 ? rates.rejected(request) : undefined
      return tooMany ?? refusedResponse(admitted.failure)
    }
    const signedIn = admitted.success
    const tooMany = signedIn === undefined ? rates.visited(found, visit, request) : rates.admitted(found, signedIn)
    if (tooMany !== undefined) {
      if (signedIn === undefined) yield* refuseSignIn("over_limit", visit)
      return tooMany
    }
    const work = execute(found, request, visitorOf(context, found, visit, signedIn))
    const { operation } = found.route
    const response = yield* injectFaults === undefined || operation === undefined
      ? work
      : Effect.provideService(injectFaults(operation, work), HttpServerRequest, request)
    if (signedIn === undefined) rates.ended(found, visit, response)
    return response
  })
  const handle: Handle = (request) => {
    const path = pathOf(request.url)
    if (path === CONSOLE_PATH && request.method === "GET") return openConsole(request)
    const found = find(request.method, path)
    return "route" in found ? answer(found, request) : Effect.succeed(notFound(path, found))
  }
  return handle
})
