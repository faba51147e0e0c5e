/** For load balancers and supervisors: alive; ready, which is to say welcome and able. At the root, without a key. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { Tasks } from "../persistence/Tasks.ts"
import { UseCases } from "../UseCases.ts"

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

/** One read of an index: where the database is away, its failure is answered as everywhere, with 503. */
const reach = Effect.flatMap(UseCases, ({ run }) => run(Effect.flatMap(Tasks, ({ nextDue }) => nextDue)))

export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/livez", alive),
  HttpRouter.add(
    "GET",
    "/readyz",
    Effect.flatMap(Readiness, ({ isReady }) => isReady() ? Effect.as(reach, ready) : Effect.succeed(draining))
  )
)
