/** The simulated driver with faults on demand, and a record of its requests. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { HostContents } from "#service/domain/Finding"
import { Driver, type DriverRequest, type Fault, Unavailable } from "#service/provisioning/Driver"
import * as Simulated from "#service/provisioning/drivers/simulated/Simulated"

/** `lost`: it is executed, and the answer does not arrive. */
export type Mishap = Fault | "lost"

export interface Call {
  readonly method: "submit" | "poll" | "find"
  readonly key: string
}

export class Upstream extends Context.Service<Upstream, {
  readonly calls: Array<Call>
  /** The beginnings of the keys that are not repeated. */
  readonly abandoned: Array<string>
  /** The faults of the next submissions, in order; undefined: none. */
  readonly mishaps: Array<Mishap | undefined>
  /** Every submission ends like this until it is unset. */
  always: Mishap | undefined
  /** Every poll ends like this until it is unset. */
  polls: Fault | undefined
  /** When set, submissions wait for it first. */
  hold: Effect.Effect<void> | undefined
  /** When set, what the hosts have. */
  contents: ReadonlyArray<HostContents> | undefined
}>()("test/Upstream") {}

const state = Layer.sync(Upstream, () => ({
  calls: [],
  abandoned: [],
  mishaps: [],
  always: undefined,
  polls: undefined,
  hold: undefined,
  contents: undefined
}))

const faulty = Layer.effect(
  Driver,
  Effect.gen(function*() {
    const driver = yield* Driver
    const upstream = yield* Upstream
    const submit = Effect.fnUntraced(function*(order: DriverRequest) {
      upstream.calls.push({ method: "submit", key: order.key })
      if (upstream.hold !== undefined) yield* upstream.hold
      const mishap = upstream.mishaps.shift() ?? upstream.always
      if (mishap !== undefined && mishap !== "lost") return yield* mishap
      const status = yield* driver.submit(order)
      return mishap === "lost" ? yield* new Unavailable({ reason: "the answer was lost" }) : status
    })
    const recorded = <A, E>(call: Call, response: Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        upstream.calls.push(call)
        return response
      })
    return Driver.of({
      ...driver,
      submit,
      poll: (order) =>
        recorded(
          { method: "poll", key: order.key },
          Effect.suspend(() => upstream.polls === undefined ? driver.poll(order) : Effect.fail(upstream.polls))
        ),
      abandon: (_, keys) => Effect.sync(() => void upstream.abandoned.push(keys)),
      list: (scope) =>
        Effect.suspend(() => upstream.contents === undefined ? driver.list(scope) : Effect.succeed(upstream.contents)),
      find: (tag) => recorded({ method: "find", key: tag }, driver.find(tag))
    })
  })
)

/** Driver, deploy clock and the handle on both. */
export const layer = faulty.pipe(Layer.provideMerge(Simulated.layer), Layer.provideMerge(state))
