/** The command that ends an instance at once. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { enqueueAs, preemptBackup } from "../../operations/Enqueue.ts"
import { Terminate } from "../../operations/Terminate.ts"
import { Instances } from "../../persistence/Instances.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { WorkerNotifier } from "../../runtime/WorkerNotifier.ts"
import { reject } from "../CommandRejected.ts"
import { Id, type Input, Name } from "../InputSchemas.ts"
import { findIdle } from "./Instances.ts"

export const Termination = () => Schema.Struct({ id: Id, reason: Name })

/**
 * Expires an instance without a grace period, so that a deletion that fails is retried as after a grace period, and no
 * top-up renews it. The owner gets no refund.
 */
export const terminate = Effect.fnUntraced(function*({ id }: Input<typeof Termination>) {
  const at = yield* Clock.currentTimeMillis
  const terminated = yield* (yield* Transaction).run(Effect.gen(function*() {
    const instance = yield* findIdle(id)
    const { lifecycle } = instance
    if (lifecycle === "failed" || lifecycle === "pending") {
      return yield* reject(`Instance ${id} is ${lifecycle}. Only a deployed instance can be terminated.`)
    }
    const { subscriptions } = yield* Instances
    yield* preemptBackup(instance, at)
    yield* subscriptions.setAutoRenew(id, false)
    if (lifecycle === "expired") yield* subscriptions.setGrace(id, at)
    else yield* subscriptions.expire(id, at)
    return { instance_id: id, lifecycle: "expired", task_id: yield* enqueueAs("admin", id, Terminate.task({}), at) }
  }))
  yield* (yield* WorkerNotifier).notify
  return terminated
})
