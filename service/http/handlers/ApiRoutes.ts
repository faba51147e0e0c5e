/**
 * The contract's endpoints as routes. Effect's own builder does the same for every kind of API; here each request costs
 * half of that, because less is possible: one way to show a key, and bodies that are JSON.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest, ParsedSearchParams } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Result from "effect/Result"
import { Api } from "#contract/Api"
import { RequiredScope } from "#contract/Scope"
import type { Caller } from "../../domain/Caller.ts"
import { ServiceRuntime, type Services } from "../../ServiceRuntime.ts"
import { makeRequestDecoder } from "../decoding/RequestDecoder.ts"
import { makeAuthorization } from "../middleware/Authorization.ts"
import { callerFrom } from "../middleware/RequestContext.ts"
import { FaultHook } from "../FaultHook.ts"

type Groups = typeof Api["groups"]

type Answered = Effect.Effect<HttpServerResponse, never, Services>

/** The parts of a request by the contract's names, and the request itself. */
type Asked<Endpoint> = Omit<HttpApiEndpoint.Request<Endpoint>, "endpoint" | "group">

/** What an endpoint does with a request that fits the contract, for whoever sent it. */
type Handler<Endpoint> = (asked: Asked<Endpoint>, by: Caller) => Answered

/** One handler for each endpoint of a group. */
export type Handlers<Group extends keyof Groups> = {
  readonly [
    Endpoint in HttpApiGroup.Endpoints<Groups[Group]> as HttpApiEndpoint.Identifier<Endpoint>
  ]: Handler<Endpoint>
}

type All = { readonly [Group in keyof Groups]: Handlers<Group> }

/** By the names of the contract; that they fit each other is `All`'s. */
type Untyped = Readonly<Record<string, Readonly<Record<string, (asked: unknown, by: Caller) => Answered>>>>

type Parts = Parameters<Parameters<typeof HttpApi.reflect>[1]["onEndpoint"]>[0]

const makeRoute = Effect.gen(function*() {
  const { authorize } = yield* makeAuthorization
  const { run } = yield* ServiceRuntime
  const intercept = yield* FaultHook
  return (handlers: Untyped, { endpoint, group, mergedAnnotations }: Parts) => {
    const handle = handlers[group.identifier]![endpoint.identifier]!
    const read = makeRequestDecoder(endpoint, mergedAnnotations)
    const name = `${group.identifier}.${endpoint.identifier}`

    const carryOut = (context: Context.Context<never>, request: HttpServerRequest, by: Caller) => {
      const { params } = Context.getUnsafe(context, HttpRouter.RouteContext)
      const asked = read.head({ request, path: params, query: Context.getUnsafe(context, ParsedSearchParams) })
      if (Result.isFailure(asked)) return Effect.succeed(asked.failure)
      if (read.body === undefined) return run(handle(asked.success, by))
      return Effect.flatMap(
        read.body(asked.success),
        (whole) => Result.isFailure(whole) ? Effect.succeed(whole.failure) : run(handle(whole.success, by))
      )
    }
    const answered = Effect.contextWith((context: Context.Context<never>) => {
      const request = Context.getUnsafe(context, HttpServerRequest)
      return authorize(request, Context.get(endpoint.annotations, RequiredScope), (key) => {
        const work = carryOut(context, request, callerFrom(context, key))
        return intercept === undefined ? work : intercept(name, work)
      })
    })
    return HttpRouter.route(endpoint.method, endpoint.path as HttpRouter.PathInput, answered)
  }
})

/** The routes of all endpoints. */
export const layer = (all: All) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const route = yield* makeRoute
    const routes: Array<HttpRouter.Route<never, never>> = []
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: (parts) => void routes.push(route(all as unknown as Untyped, parts))
    })
    yield* router.addAll(routes)
  }))
