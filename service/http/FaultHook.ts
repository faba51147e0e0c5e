/** A place between authorization and the endpoints, where an emulator can get in the way. Nobody stands there else. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"

/** Gets the endpoint's name as `group.endpoint`, and what it would do. */
export type FaultInjector = <E, R>(
  operation: string,
  work: Effect.Effect<HttpServerResponse, E, R>
) => Effect.Effect<HttpServerResponse, E, R | HttpServerRequest>

/** Read while the authorization's layer is built. */
export const FaultHook = Context.Reference<FaultInjector | undefined>("pulumi-vps/service/FaultHook", {
  defaultValue: () => undefined
})
