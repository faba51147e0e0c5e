/** Decorates the driver with metrics and spans of its calls. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Driver, type DriverRequest, type Fault, type PoweredOff } from "../provisioning/Driver.ts"
import { Metrics } from "./Metrics.ts"
import { Tracing } from "../runtime/Tracing.ts"

const outcomeOf = (exit: Exit.Exit<unknown, Fault | PoweredOff>): string => {
  if (Exit.isSuccess(exit)) return "done"
  if (Cause.hasInterrupts(exit.cause)) return "interrupted"
  return Option.match(Exit.findErrorOption(exit), { onNone: () => "defect", onSome: ({ _tag }) => _tag.toLowerCase() })
}

const make = Effect.gen(function*() {
  const driver = yield* Driver
  const metrics = yield* Metrics
  const traced = yield* Tracing
  const measured = <A, E extends Fault | PoweredOff>(call: string, operation: string, effect: Effect.Effect<A, E>) => {
    const timed = Effect.suspend(() => {
      const began = performance.now()
      return Effect.onExit(effect, (exit) =>
        Effect.sync(() => {
          metrics.driver(driver.name, call, operation, outcomeOf(exit), performance.now() - began)
        }))
    })
    return traced ? Effect.withSpan(timed, `driver.${call} ${operation}`.trim(), { kind: "client" }) : timed
  }
  const { console, ptr, resume, thaw } = driver
  return Driver.of({
    ...driver,
    ...(console === undefined ? {} : { console: (machine) => measured("console", "", console(machine)) }),
    ...(thaw === undefined ? {} : { thaw: (tag) => measured("thaw", "", thaw(tag)) }),
    ...(resume === undefined ? {} : { resume: (tag) => measured("resume", "", resume(tag)) }),
    ...(ptr === undefined ? {} : { ptr: (ip) => measured("ptr", "", ptr(ip)) }),
    submit: (request: DriverRequest) => measured("submit", request.operation.type, driver.submit(request)),
    poll: (request: DriverRequest) => measured("poll", request.operation.type, driver.poll(request)),
    find: (tag) => measured("find", "", driver.find(tag)),
    list: (scope) => measured("list", scope, driver.list(scope)),
    inspect: (machine) => measured("inspect", "", driver.inspect(machine)),
    metrics: (machine, window) => measured("metrics", "", driver.metrics(machine, window))
  })
})

export const layer: Layer.Layer<Driver, never, Driver | Metrics> = Layer.effect(Driver, make)
