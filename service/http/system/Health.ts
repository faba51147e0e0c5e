/** Liveness and readiness checks for load balancers and supervisors. They need no API key. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type { Doubt } from "../../domain/ClockDoubt.ts"
import { checkDatabase, clockDoubt } from "../../observability/Health.ts"
import { ServiceRuntime } from "../../ServiceRuntime.ts"

/** The phases of a shutdown: requests on open connections are answered for some time, then no more. */
export class Readiness extends Context.Service<Readiness, {
  /** False once the service is shutting down: each response closes its connection. */
  readonly isReady: () => boolean
  /** False once requests are refused. */
  readonly isServing: () => boolean
  readonly leave: Effect.Effect<void>
  readonly drain: Effect.Effect<void>
}>()("@pulumi-vps/service/Readiness") {
  static readonly layer = Layer.sync(Readiness, () => {
    let [ready, serving] = [true, true]
    return {
      isReady: () => ready,
      isServing: () => serving,
      leave: Effect.sync(() => void (ready = false)),
      drain: Effect.sync(() => void (ready = serving = false))
    }
  })
}

/** Published by a service that is ready; undefined if all is well. */
export const ReadyWarning = Context.Reference<string | undefined>("@pulumi-vps/service/ReadyWarning", {
  defaultValue: () => undefined
})

const alive = HttpServerResponse.jsonUnsafe({ status: "alive" })
const draining = HttpServerResponse.jsonUnsafe({ detail: "The service is shutting down." }, { status: 503 })

/** A clock in doubt is a warning only: the API works, and scheduled jobs have stopped. */
export const warningOf = (general: string | undefined, doubt: Doubt | null): string | undefined =>
  doubt === null
    ? general
    : [general, doubt.reason, "Renewals, expiry, deletions, and backups have stopped until the time is confirmed."]
      .filter((text) => text !== undefined).join(" ")

const readiness = (general: string | undefined) => {
  const reached = Effect.gen(function*() {
    const { run } = yield* ServiceRuntime
    yield* run(checkDatabase)
    const warning = warningOf(general, yield* run(clockDoubt))
    return HttpServerResponse.jsonUnsafe({ status: "ready", ...(warning === undefined ? {} : { warning }) })
  })
  return Effect.flatMap(Readiness, ({ isReady }) => isReady() ? reached : Effect.succeed(draining))
}

export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/livez", alive),
  Layer.unwrap(Effect.map(ReadyWarning, (warning) => HttpRouter.add("GET", "/readyz", readiness(warning))))
)
