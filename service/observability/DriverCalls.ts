/** Watches every call of the upstream from outside, so that no driver has to think of it. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Driver, type DriverRequest, type Fault } from "../provisioning/Driver.ts"
import { Metrics } from "./Metrics.ts"
import { Tracing } from "./Tracing.ts"

const outcomeOf = (exit: Exit.Exit<unknown, Fault>): string => {
  if (Exit.isSuccess(exit)) return "done"
  if (Cause.hasInterrupts(exit.cause)) return "interrupted"
  return Option.match(Exit.findErrorOption(exit), { onNone: () => "defect", onSome: ({ _tag }) => _tag.toLowerCase() })
}

const make = Effect.gen(function*() {
  const driver = yield* Driver
  const metrics = yield* Metrics
  const traced = yield* Tracing
  const watched = <A, E extends Fault>(call: string, operation: string, asked: Effect.Effect<A, E>) => {
    const measured = Effect.suspend(() => {
      const began = performance.now()
      return Effect.onExit(asked, (exit) =>
        Effect.sync(() => {
          metrics.driver(driver.name, call, operation, outcomeOf(exit), performance.now() - began)
        }))
    })
    return traced ? Effect.withSpan(measured, `driver.${call} ${operation}`.trim(), { kind: "client" }) : measured
  }
  return Driver.of({
    ...driver,
    submit: (order: DriverRequest) => watched("submit", order.operation.type, driver.submit(order)),
    poll: (order: DriverRequest) => watched("poll", order.operation.type, driver.poll(order)),
    find: (tag) => watched("find", "", driver.find(tag)),
    inspect: (place) => watched("inspect", "", driver.inspect(place)),
    metrics: (place, window) => watched("metrics", "", driver.metrics(place, window))
  })
})

/** The same driver, watched. */
export const layer: Layer.Layer<Driver, never, Driver | Metrics> = Layer.effect(Driver, make)
