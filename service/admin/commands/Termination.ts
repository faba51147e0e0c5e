/** The command that ends an instance at once. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { preemptBackup } from "../../operations/Enqueue.ts"
import { beginTermination } from "../../operations/Terminate.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { WorkerNotifier } from "../../runtime/WorkerNotifier.ts"
import { reject } from "../CommandRejected.ts"
import { Id, type Input, Name } from "../InputSchemas.ts"
import { findIdle } from "./Instances.ts"

export const Termination = () => Schema.Struct({ id: Id, reason: Name })

/** Ends an instance at once, as the end of a grace period does. It is final, and the owner gets no refund. */
export const terminate = Effect.fnUntraced(function*({ id }: Input<typeof Termination>) {
  const at = yield* Clock.currentTimeMillis
  const terminated = yield* (yield* Transaction).run(Effect.gen(function*() {
    const instance = yield* findIdle(id)
    const { lifecycle } = instance
    if (lifecycle === "failed" || lifecycle === "pending") {
      return yield* reject(`Instance ${id} is ${lifecycle}. Only a deployed instance can be terminated.`)
    }
    yield* preemptBackup(instance, at)
    return { instance_id: id, lifecycle: "expired", task_id: yield* beginTermination("admin", id, at) }
  }))
  yield* (yield* WorkerNotifier).notify
  return terminated
})
