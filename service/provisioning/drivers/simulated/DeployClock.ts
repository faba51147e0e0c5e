/** Decides when simulated operations are done: after some time, or after some reads of their instance. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../../../config/Limits.ts"
import {
  type DeploySetting,
  SimulatedMachines,
  type SimulatedOperation
} from "../../../persistence/SimulatedMachines.ts"
import type { StorageUnavailable } from "../../../domain/Errors.ts"
import { Transaction } from "../../../persistence/Transaction.ts"
import { IsCallerWaiting, IsClockFrozen } from "../../../runtime/Time.ts"
import * as ConditionVariable from "../../../runtime/ConditionVariable.ts"

/** The remaining wait for an operation: nothing, some time, or reads of the instance. */
export type Remaining = { readonly millis: number; readonly progress: number } | "reads" | "nothing"

export class DeployClock extends Context.Service<DeployClock, {
  readonly setting: Effect.Effect<DeploySetting>
  /** Takes effect at once, also for deployments in progress. */
  readonly set: (setting: DeploySetting) => Effect.Effect<void, StorageUnavailable>
  /** Counts a read of an instance that is not deployed yet, by its tag; cheap unless the mode is `after_polls`. */
  readonly countRead: (tag: string) => Effect.Effect<"deployed" | "waiting", StorageUnavailable>
  readonly remaining: (operation: SimulatedOperation) => Effect.Effect<Remaining>
  /** Notified when reads or the setting may have completed an operation. */
  readonly changed: ConditionVariable.ConditionVariable
}>()("@pulumi-vps/service/DeployClock") {}

const elapse = (acceptedAt: number, duration: number, now: number): Remaining => {
  const millis = acceptedAt + duration - now
  if (millis <= 0) return "nothing"
  return { millis, progress: Math.min(99, Math.max(0, Math.floor(100 * (1 - millis / duration)))) }
}

/** True for a caller who would wait forever, because the clock is frozen: the operation is done at once. */
const wouldWaitForever = Effect.gen(function*() {
  return (yield* IsCallerWaiting) && (yield* IsClockFrozen)()
})

const make = Effect.gen(function*() {
  const { EMULATOR_DEPLOY_MILLIS, EMULATOR_OPERATION_MILLIS } = yield* Limits
  const defaults: DeploySetting = { mode: "after_ms", value: EMULATOR_DEPLOY_MILLIS }
  const machines = yield* SimulatedMachines
  const transaction = yield* Transaction
  const changed = ConditionVariable.make()
  const setting = Effect.map(machines.deploy, (stored) => stored ?? defaults)

  const remaining = Effect.fnUntraced(function*({ acceptedAt, tag, type }: SimulatedOperation) {
    const { mode, value } = yield* setting
    if (mode === "instant" || (type !== "provision" && (yield* wouldWaitForever))) return "nothing" as const
    const now = yield* Clock.currentTimeMillis
    if (type !== "provision") return elapse(acceptedAt, EMULATOR_OPERATION_MILLIS, now)
    if (mode === "after_ms") return elapse(acceptedAt, value, now)
    return (yield* machines.polls(tag)) >= value ? "nothing" as const : "reads" as const
  })

  const countRead = Effect.fnUntraced(function*(tag: string) {
    const { mode, value } = yield* setting
    if (mode !== "after_polls") return "waiting" as const
    const counted = yield* machines.polls(tag)
    if (counted >= value) return "deployed" as const
    yield* transaction.run(machines.countPoll(tag))
    if ((yield* machines.polls(tag)) < value) return "waiting" as const
    yield* changed.notifyAll
    return "deployed" as const
  })

  /** Completed deployments stay completed under the new setting. */
  const change = Effect.fnUntraced(function*(next: DeploySetting) {
    for (const deployment of yield* machines.deployments) {
      if ((yield* remaining(deployment)) === "nothing") yield* machines.release(deployment.tag)
    }
    yield* machines.setDeploy(next)
  })

  return DeployClock.of({
    setting,
    set: (next) => Effect.andThen(transaction.run(change(next)), changed.notifyAll),
    countRead,
    remaining,
    changed
  })
})

export const layer: Layer.Layer<DeployClock, never, Limits | SimulatedMachines | Transaction> = Layer.effect(
  DeployClock,
  make
)
