/** `/panel/api`: the calls of the panel. They are loaded with the first one, because many services have no panel. */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as Scope from "effect/Scope"
import type { Limits } from "../../config/Limits.ts"
import type { RequestRateLimits } from "../../ratelimit/RequestRateLimits.ts"
import { handlers as allHandlers } from "../../http/handlers/Handlers.ts"
import type { Readiness } from "../../http/system/Health.ts"
import type { ServiceRuntime } from "../../ServiceRuntime.ts"

const load = Effect.promise(() => import("./Panel.ts"))

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const context = yield* Effect.context<Limits | Readiness | RequestRateLimits | Scope.Scope | ServiceRuntime>()
  const handlers = yield* allHandlers
  const panel = yield* Effect.cached(
    Effect.provideContext(Effect.flatMap(load, ({ make }) => make(handlers)), context)
  )
  yield* router.add("*", "/panel/api/*", (request) => Effect.flatMap(panel, (handle) => handle(request)))
}))
