/** Liveness and readiness checks for load balancers and supervisors. They need no API key. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { checkDatabase } from "../../observability/DatabaseHealth.ts"
import { ServiceRuntime } from "../../ServiceRuntime.ts"

/** False once the service is shutting down. */
export class Readiness extends Context.Service<Readiness, {
  readonly isReady: () => boolean
  readonly drain: Effect.Effect<void>
}>()("pulumi-vps/service/Readiness") {
  static readonly layer = Layer.sync(Readiness, () => {
    let ready = true
    return { isReady: () => ready, drain: Effect.sync(() => void (ready = false)) }
  })
}

const alive = HttpServerResponse.jsonUnsafe({ status: "alive" })
const ready = HttpServerResponse.jsonUnsafe({ status: "ready" })
const draining = HttpServerResponse.jsonUnsafe({ detail: "The service is shutting down." }, { status: 503 })

const reached = Effect.flatMap(ServiceRuntime, ({ run }) => Effect.as(run(checkDatabase), ready))

export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/livez", alive),
  HttpRouter.add(
    "GET",
    "/readyz",
    Effect.flatMap(Readiness, ({ isReady }) => isReady() ? reached : Effect.succeed(draining))
  )
)
