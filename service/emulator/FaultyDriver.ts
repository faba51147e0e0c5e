/** The driver with the faults that the rules ask for. Only submissions are struck: they are what a task repeats. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Busy, Driver, type DriverRequest, Rejected, type Status, Unavailable } from "../provisioning/Driver.ts"
import { type Fault, Faults, type Rule } from "./Faults.ts"

const reason = ({ id }: Fault): string => `the emulator was asked for this fault (rule ${id})`

const befall = (
  fault: Fault,
  kind: NonNullable<Rule["driver"]>,
  submit: Effect.Effect<Status, Busy | Rejected | Unavailable>
) => {
  switch (kind) {
    case "busy":
      return Effect.fail(new Busy({ reason: reason(fault) }))
    case "rejected":
      return Effect.fail(new Rejected({ reason: reason(fault) }))
    case "unavailable":
      return Effect.fail(new Unavailable({ reason: reason(fault) }))
    case "lost_answer":
      return Effect.andThen(submit, Effect.fail(new Unavailable({ reason: reason(fault) })))
  }
}

const make = Effect.gen(function*() {
  const driver = yield* Driver
  const { strike } = yield* Faults
  const submit = Effect.fnUntraced(function*(order: DriverRequest) {
    const struck = strike(`driver.${order.operation.type}`).pipe(
      Effect.mapError(({ message }) => new Unavailable({ reason: message }))
    )
    const fault = yield* struck
    if (fault === undefined) return yield* driver.submit(order)
    const { driver: kind, latency_ms: millis } = fault.rule
    // In the emulator's time, like all that the upstream takes.
    if (millis !== undefined) yield* Effect.sleep(millis)
    return yield* kind === undefined ? driver.submit(order) : befall(fault, kind, driver.submit(order))
  })
  return Driver.of({ ...driver, submit })
})

export const layer: Layer.Layer<Driver, never, Driver | Faults> = Layer.effect(Driver, make)
