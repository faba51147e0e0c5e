/** The upstream's side of what use cases ask of machines: asked once, within the patience of someone who waits. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { UpstreamFailed } from "../domain/Errors.ts"
import { type Deployed, Machines } from "../instances/Machines.ts"
import { UPSTREAM_CALL_MILLIS } from "../config/Limits.ts"
import { Driver, type Fault, type Place, tagOf, Unavailable } from "../provisioning/Driver.ts"

const placeOf = ({ id, providerId }: Deployed): Place => ({ tag: tagOf(id), providerId })

const once = <A>(operation: string, asked: Effect.Effect<A, Fault>): Effect.Effect<A, UpstreamFailed> =>
  Effect.timeoutOrElse(asked, {
    duration: UPSTREAM_CALL_MILLIS,
    orElse: () => Effect.fail(new Unavailable({ reason: "it did not answer in time" }))
  }).pipe(Effect.mapError(({ reason }) => new UpstreamFailed({ operation, reason })))

const MILLIS = 1_000

const make = Effect.map(Driver, (driver) =>
  Machines.of({
    inspect: (instance) => once("status", driver.inspect(placeOf(instance))),
    metrics: (instance, { seconds, stepSeconds }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const window = { stepSeconds, from: now - seconds * MILLIS, to: now }
        return once("metrics", driver.metrics(placeOf(instance), window))
      })
  }))

export const layer: Layer.Layer<Machines, never, Driver> = Layer.effect(Machines, make)
