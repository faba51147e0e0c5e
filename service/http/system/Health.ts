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

/** Published by a service that is ready; undefined if all is well. */
export const ReadyWarning = Context.Reference<string | undefined>("pulumi-vps/service/ReadyWarning", {
  defaultValue: () => undefined
})

const alive = HttpServerResponse.jsonUnsafe({ status: "alive" })
const draining = HttpServerResponse.jsonUnsafe({ detail: "The service is shutting down." }, { status: 503 })

const readiness = (warning: string | undefined) => {
  const ready = HttpServerResponse.jsonUnsafe({ status: "ready", ...(warning === undefined ? {} : { warning }) })
  const reached = Effect.flatMap(ServiceRuntime, ({ run }) => Effect.as(run(checkDatabase), ready))
  return Effect.flatMap(Readiness, ({ isReady }) => isReady() ? reached : Effect.succeed(draining))
}

export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/livez", alive),
  Layer.unwrap(Effect.map(ReadyWarning, (warning) => HttpRouter.add("GET", "/readyz", readiness(warning))))
)
