/** The simulated driver with faults on demand, and a record of its requests. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Driver, type DriverRequest, type Fault, Unavailable } from "#service/provisioning/Driver"
import * as Simulated from "#service/provisioning/drivers/simulated/Simulated"

/** `lost`: it is executed, and the answer does not arrive. */
export type Mishap = Fault | "lost"

export interface Call {
  readonly method: "submit" | "poll" | "find"
  readonly key: string
}

/** The fault of a call, drawn for each one. */
export interface FaultRates {
  readonly submission: Effect.Effect<Mishap | undefined>
  /** A query (state, machine by tag) can only go unanswered. */
  readonly question: Effect.Effect<Unavailable | undefined>
}

export class Upstream extends Context.Service<Upstream, {
  readonly calls: Array<Call>
  /** The faults of the next submissions, in order; undefined: none. */
  readonly mishaps: Array<Mishap | undefined>
  /** Every submission ends like this until it is unset. */
  always: Mishap | undefined
  /** The fault of every other call, once those of `mishaps` are used up. */
  weather: FaultRates | undefined
  /** When set, submissions wait for it first. */
  hold: Effect.Effect<void> | undefined
}>()("test/Upstream") {}

const state = Layer.sync(Upstream, () => ({
  calls: [],
  mishaps: [],
  always: undefined,
  weather: undefined,
  hold: undefined
}))

const faulty = Layer.effect(
  Driver,
  Effect.gen(function*() {
    const driver = yield* Driver
    const upstream = yield* Upstream
    const drawn = Effect.suspend(() => upstream.weather?.submission ?? Effect.succeed(undefined))
    const submit = Effect.fnUntraced(function*(order: DriverRequest) {
      upstream.calls.push({ method: "submit", key: order.key })
      if (upstream.hold !== undefined) yield* upstream.hold
      const mishap = upstream.mishaps.shift() ?? upstream.always ?? (yield* drawn)
      if (mishap !== undefined && mishap !== "lost") return yield* mishap
      const status = yield* driver.submit(order)
      return mishap === "lost" ? yield* new Unavailable({ reason: "the answer was lost" }) : status
    })
    const ask = Effect.fnUntraced(function*<A, E>(call: Call, answer: Effect.Effect<A, E>) {
      upstream.calls.push(call)
      const mishap = upstream.weather === undefined ? undefined : yield* upstream.weather.question
      return yield* mishap ?? answer
    })
    return Driver.of({
      ...driver,
      submit,
      poll: (order) => ask({ method: "poll", key: order.key }, driver.poll(order)),
      find: (tag) => ask({ method: "find", key: tag }, driver.find(tag))
    })
  })
)

/** Driver, deploy clock and the handle on both. */
export const layer = faulty.pipe(Layer.provideMerge(Simulated.layer), Layer.provideMerge(state))
