/** Decorates a driver with the faults of the rules. They apply to submissions only, which tasks retry. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Busy, Driver, type DriverRequest, Rejected, type Status, Unavailable } from "../provisioning/Driver.ts"
import { type Fault, Faults, type Rule } from "./Faults.ts"

const reason = ({ id }: Fault): string => `injected by the emulator (fault rule ${id})`

const inject = (
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
  const { next } = yield* Faults
  const submit = Effect.fnUntraced(function*(request: DriverRequest) {
    const matching = next(`driver.${request.operation.type}`).pipe(
      Effect.mapError(({ message }) => new Unavailable({ reason: message }))
    )
    const fault = yield* matching
    if (fault === undefined) return yield* driver.submit(request)
    const { driver: kind, latency_ms: millis } = fault.rule
    // In emulated time, like every duration of the driver.
    if (millis !== undefined) yield* Effect.sleep(millis)
    return yield* kind === undefined ? driver.submit(request) : inject(fault, kind, driver.submit(request))
  })
  return Driver.of({ ...driver, submit })
})

export const layer: Layer.Layer<Driver, never, Driver | Faults> = Layer.effect(Driver, make)
