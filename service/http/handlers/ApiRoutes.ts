/**
 * The contract's endpoints as routes: authorize, decode, run the use case, respond. Effect's own builder supports every
 * kind of API; a request costs half as much here, because there is one way to present a key and every body is JSON.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest, ParsedSearchParams } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Result from "effect/Result"
import { Api } from "@pulumi-vps/contract/Api"
import { RequiredScope } from "@pulumi-vps/contract/Scope"
import { Config } from "../../config/Config.ts"
import { Payment } from "../../config/Payment.ts"
import { Limits } from "../../config/Limits.ts"
import type { Caller } from "../../domain/Caller.ts"
import { ServiceRuntime, type Services } from "../../ServiceRuntime.ts"
import { makeRequestDecoder } from "../decoding/RequestDecoder.ts"
import { toErrorResponse, type UseCaseError } from "../Errors.ts"
import { FaultHook } from "../FaultHook.ts"
import { makeAuthorization } from "../middleware/Authorization.ts"
import { callerFrom } from "../middleware/RequestContext.ts"

type Groups = typeof Api["groups"]

/** The decoded parts of a request by the contract's names, and the request itself. */
export type Decoded<Endpoint> = Omit<HttpApiEndpoint.Request<Endpoint>, "endpoint" | "group">

/** A success in its wire form, which handlers produce directly, so that no encoder needs to run. */
export type Encoded<Endpoint> = Endpoint extends HttpApiEndpoint.Constraint ? Endpoint["~Success"]["Type"] : never

type UseCase<A> = Effect.Effect<A | HttpServerResponse.HttpServerResponse, UseCaseError, Services>

/** The use case for a valid request. A value is sent as JSON with status 200; a response is sent as it is. */
type Handler<Endpoint> = (request: Decoded<Endpoint>, caller: Caller) => UseCase<Encoded<Endpoint>>

/** One handler for each endpoint of a group. */
type Handlers<Group extends keyof Groups> = {
  readonly [
    Endpoint in HttpApiGroup.Endpoints<Groups[Group]> as HttpApiEndpoint.Identifier<Endpoint>
  ]: Handler<Endpoint>
}

export type AllHandlers = { readonly [Group in keyof Groups]: Handlers<Group> }

/** `AllHandlers` guarantees that names and types match the contract. */
type UntypedHandlers = Readonly<
  Record<string, Readonly<Record<string, (request: unknown, by: Caller) => UseCase<unknown>>>>
>

type ReflectedEndpoint = Parameters<Parameters<typeof HttpApi.reflect>[1]["onEndpoint"]>[0]

const makeRoute = Effect.gen(function*() {
  const { authorize } = yield* makeAuthorization
  const { run } = yield* ServiceRuntime
  const injectFaults = yield* FaultHook
  const limits = yield* Limits
  const { panelUrl } = yield* run(Config)
  const host = { panelUrl, howToPay: yield* run(Payment) }
  const respond = Effect.match({
    onSuccess: (value: unknown) =>
      HttpServerResponse.isHttpServerResponse(value) ? value : HttpServerResponse.jsonUnsafe(value),
    onFailure: (error: UseCaseError) => toErrorResponse(error, limits, host)
  })
  return (handlers: UntypedHandlers, { endpoint, group, mergedAnnotations }: ReflectedEndpoint) => {
    const handle = handlers[group.identifier]![endpoint.identifier]!
    const decoder = makeRequestDecoder(endpoint, mergedAnnotations)
    const name = `${group.identifier}.${endpoint.identifier}`

    const execute = (context: Context.Context<never>, request: HttpServerRequest, caller: Caller) => {
      const { params } = Context.getUnsafe(context, HttpRouter.RouteContext)
      const head = decoder.head({ request, path: params, query: Context.getUnsafe(context, ParsedSearchParams) })
      if (Result.isFailure(head)) return Effect.succeed(head.failure)
      if (decoder.body === undefined) return run(respond(handle(head.success, caller)))
      return Effect.flatMap(
        decoder.body(head.success),
        (decoded) =>
          Result.isFailure(decoded) ? Effect.succeed(decoded.failure) : run(respond(handle(decoded.success, caller)))
      )
    }
    const handled = Effect.contextWith((context: Context.Context<never>) => {
      const request = Context.getUnsafe(context, HttpServerRequest)
      return authorize(request, Context.get(endpoint.annotations, RequiredScope), (key) => {
        const work = execute(context, request, callerFrom(context, key))
        return injectFaults === undefined ? work : injectFaults(name, work)
      })
    })
    return HttpRouter.route(endpoint.method, endpoint.path as HttpRouter.PathInput, handled)
  }
})

/** The routes of all endpoints. */
export const layer = (handlers: AllHandlers) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const route = yield* makeRoute
    const routes: Array<HttpRouter.Route<never, never>> = []
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: (endpoint) => void routes.push(route(handlers as unknown as UntypedHandlers, endpoint))
    })
    yield* router.addAll(routes)
  }))
