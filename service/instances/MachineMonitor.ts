/** Live data of machines from the upstream: requested once, with a timeout that a waiting caller accepts. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../config/Limits.ts"
import { UpstreamFailed } from "../domain/Errors.ts"
import type { Sample } from "../domain/Metrics.ts"
import { Driver, type Fault, type LiveState, type MachineRef, tagOf, Unavailable } from "../provisioning/Driver.ts"

/** An instance that has a machine. */
export interface Deployed {
  readonly id: number
  readonly providerId: string
}

export class MachineMonitor extends Context.Service<MachineMonitor, {
  readonly inspect: (instance: Deployed) => Effect.Effect<LiveState, UpstreamFailed>
  /** One sample for each step that ended within the last `seconds`, oldest first. */
  readonly metrics: (
    instance: Deployed,
    resolution: { readonly seconds: number; readonly stepSeconds: number }
  ) => Effect.Effect<ReadonlyArray<Sample>, UpstreamFailed>
  /** The PTR record of an address; undefined if there is none. */
  readonly ptr: (ip: string) => Effect.Effect<string | undefined, UpstreamFailed>
}>()("pulumi-vps/service/MachineMonitor") {
  static readonly layer = Layer.effect(this, Effect.suspend(() => make))
}

const machineRef = ({ id, providerId }: Deployed): MachineRef => ({ tag: tagOf(id), providerId })

const MILLIS = 1_000

const make = Effect.gen(function*() {
  const driver = yield* Driver
  const { UPSTREAM_CALL_MILLIS } = yield* Limits
  const call = <A>(operation: string, request: Effect.Effect<A, Fault>): Effect.Effect<A, UpstreamFailed> =>
    Effect.timeoutOrElse(request, {
      duration: UPSTREAM_CALL_MILLIS,
      orElse: () => Effect.fail(new Unavailable({ reason: "it did not respond in time" }))
    }).pipe(Effect.mapError(({ reason }) => new UpstreamFailed({ operation, reason, outcome: "unchanged" })))
  return MachineMonitor.of({
    inspect: (instance) => call("status", driver.inspect(machineRef(instance))),
    metrics: (instance, { seconds, stepSeconds }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const window = { stepSeconds, from: now - seconds * MILLIS, to: now }
        return call("metrics", driver.metrics(machineRef(instance), window))
      }),
    ptr: (ip) => driver.ptr === undefined ? Effect.succeed(undefined) : call("reverse DNS", driver.ptr(ip))
  })
})
