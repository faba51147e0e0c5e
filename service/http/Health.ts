/** For load balancers and supervisors: alive; ready, which is to say welcome and able. At the root, without a key. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { DATABASE_RETRY_AFTER_SECONDS } from "../Limits.ts"
import { health } from "../observability/Health.ts"
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

const unwritable = (detail: string) =>
  HttpServerResponse.jsonUnsafe({ detail }, {
    status: 503,
    headers: { "retry-after": String(DATABASE_RETRY_AFTER_SECONDS) }
  })

/** Ready as long as what is asked can be kept: after a write that could not be, it tries one itself. */
const readiness = Effect.gen(function*() {
  if (!(yield* Readiness).isReady()) return draining
  return yield* (yield* UseCases).run(health).pipe(
    Effect.as(ready),
    Effect.catch(({ message }) => Effect.succeed(unwritable(message)))
  )
})

export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/livez", alive),
  HttpRouter.add("GET", "/readyz", readiness)
)
