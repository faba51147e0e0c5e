/** The upstream's side of what use cases ask of machines: asked once, within the patience of someone who waits. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { UpstreamFailed } from "../domain/Errors.ts"
import { type Deployed, Machines } from "../instances/Machines.ts"
import { Limits } from "../config/Limits.ts"
import { Driver, type Fault, type MachineRef, tagOf, Unavailable } from "../provisioning/Driver.ts"

const placeOf = ({ id, providerId }: Deployed): MachineRef => ({ tag: tagOf(id), providerId })

const once =
  (timeoutMillis: number) => <A>(operation: string, asked: Effect.Effect<A, Fault>): Effect.Effect<A, UpstreamFailed> =>
    Effect.timeoutOrElse(asked, {
      duration: timeoutMillis,
      orElse: () => Effect.fail(new Unavailable({ reason: "it did not answer in time" }))
    }).pipe(Effect.mapError(({ reason }) => new UpstreamFailed({ operation, reason })))

const MILLIS = 1_000

const make = Effect.gen(function*() {
  const driver = yield* Driver
  const call = once((yield* Limits).UPSTREAM_CALL_MILLIS)
  return Machines.of({
    inspect: (instance) => call("status", driver.inspect(placeOf(instance))),
    metrics: (instance, { seconds, stepSeconds }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const window = { stepSeconds, from: now - seconds * MILLIS, to: now }
        return call("metrics", driver.metrics(placeOf(instance), window))
      })
  })
})

export const layer: Layer.Layer<Machines, never, Driver | Limits> = Layer.effect(Machines, make)
