/** Instances in every state that operations meet, and calls that wait for the upstream. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { enterRescue } from "#service/operations/Rescue"
import { operate } from "#service/operations/Power"
import { setLifecycle } from "./lifecycle.ts"
import { buy, deployTime, elapse, owner } from "./service.ts"
import type { Lifecycle } from "#service/contract/Words"

/** Time for an operation of the simulated upstream. */
export const operationTime = elapse(300)

/** Runs a call that waits for the upstream, and lets the upstream's time pass. */
export const waited = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(call)
    yield* elapse(600)
    return yield* Fiber.join(fiber)
  })

/** A deployed instance of plan 1, or of another; returns its id. */
export const running = (planId = 1) =>
  Effect.gen(function*() {
    const { id } = yield* buy({ service_id: planId, hostname: "web.example.test" })
    yield* deployTime
    return id
  })

const stopped = Effect.gen(function*() {
  const id = yield* running()
  yield* operate(owner, id, "stop")
  yield* operationTime
  return id
})

const inRescue = Effect.gen(function*() {
  const id = yield* running()
  yield* waited(enterRescue(owner, id))
  return id
})

const idle = (lifecycle: Lifecycle) => Effect.tap(running(), (id) => setLifecycle(id, lifecycle))

/** An idle instance in each column of the transition table; pending without a task, as after a held approval. */
export const IN_STATE = {
  pending: idle("pending"),
  running: running(),
  stopped,
  rescue: inRescue,
  suspended: idle("suspended"),
  expired: idle("expired"),
  failed: idle("failed")
}
