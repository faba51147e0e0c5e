/** The simulated driver with faults on demand, and a record of what it was asked. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Driver, type Fault, type Order, Unavailable } from "#service/provisioning/Driver"
import * as Simulated from "#service/provisioning/drivers/simulated/Simulated"

/** `lost`: it is carried out, and the answer does not arrive. */
export type Mishap = Fault | "lost"

export interface Call {
  readonly method: "submit" | "poll" | "find"
  readonly key: string
}

export class Upstream extends Context.Service<Upstream, {
  readonly calls: Array<Call>
  /** What happens to the next submissions, in order; undefined is no mishap. */
  readonly mishaps: Array<Mishap | undefined>
  /** Every submission ends like this until it is unset. */
  always: Mishap | undefined
  /** When set, submissions wait for it first. */
  hold: Effect.Effect<void> | undefined
}>()("test/Upstream") {}

const state = Layer.sync(Upstream, () => ({ calls: [], mishaps: [], always: undefined, hold: undefined }))

const faulty = Layer.effect(
  Driver,
  Effect.gen(function*() {
    const driver = yield* Driver
    const upstream = yield* Upstream
    const submit = Effect.fnUntraced(function*(order: Order) {
      upstream.calls.push({ method: "submit", key: order.key })
      if (upstream.hold !== undefined) yield* upstream.hold
      const mishap = upstream.mishaps.shift() ?? upstream.always
      if (mishap !== undefined && mishap !== "lost") return yield* mishap
      const status = yield* driver.submit(order)
      return mishap === "lost" ? yield* new Unavailable({ reason: "the answer was lost" }) : status
    })
    return Driver.of({
      ...driver,
      submit,
      poll: (order) => {
        upstream.calls.push({ method: "poll", key: order.key })
        return driver.poll(order)
      },
      find: (tag) => {
        upstream.calls.push({ method: "find", key: tag })
        return driver.find(tag)
      }
    })
  })
)

/** Driver, deploy clock and the handle on both. */
export const layer = faulty.pipe(Layer.provideMerge(Simulated.layer), Layer.provideMerge(state))
