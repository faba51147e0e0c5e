/** A hook between authorization and the handlers, where the emulator injects faults. Empty in production. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"

/** Receives the endpoint's name as `group.endpoint`, and the request's work. */
export type FaultInjector = <E, R>(
  operation: string,
  work: Effect.Effect<HttpServerResponse, E, R>
) => Effect.Effect<HttpServerResponse, E, R | HttpServerRequest>

/** Read while the routes are built. */
export const FaultHook = Context.Reference<FaultInjector | undefined>("@pulumi-vps/service/FaultHook", {
  defaultValue: () => undefined
})
