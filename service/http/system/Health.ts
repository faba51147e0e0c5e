/** For load balancers and supervisors: alive; ready, which is to say welcome and able. At the root, without a key. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { reach } from "../../observability/Reach.ts"
import { ServiceRuntime } from "../../ServiceRuntime.ts"

/** Whether new work is welcome: false once the service has been asked to stop. */
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
const draining = HttpServerResponse.jsonUnsafe({ detail: "The service is stopping." }, { status: 503 })

const reached = Effect.flatMap(ServiceRuntime, ({ run }) => Effect.as(run(reach), ready))

export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/livez", alive),
  HttpRouter.add(
    "GET",
    "/readyz",
    Effect.flatMap(Readiness, ({ isReady }) => isReady() ? reached : Effect.succeed(draining))
  )
)
