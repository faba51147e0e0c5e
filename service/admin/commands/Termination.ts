/** The command that ends an instance at once. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { preemptBackup } from "../../operations/Enqueue.ts"
import { beginTermination } from "../../operations/Terminate.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { WorkerNotifier } from "../../runtime/WorkerNotifier.ts"
import { reject } from "../CommandRejected.ts"
import { findIdle } from "./Instances.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

/** Ends an instance at once, as the end of a grace period does. It is final, and the owner gets no refund. */
export const terminate = Effect.fnUntraced(function*({ id }: InputOf<"instances.terminate">) {
  const at = yield* Clock.currentTimeMillis
  const terminated = yield* (yield* Transaction).run(Effect.gen(function*() {
    const instance = yield* findIdle(id)
    const { lifecycle } = instance
    if (lifecycle === "failed" || lifecycle === "pending") {
      return yield* reject(`Instance ${id} is ${lifecycle}. Only a deployed instance can be terminated.`)
    }
    yield* preemptBackup(instance, at)
    return { instance_id: id, lifecycle: "expired" as const, task_id: yield* beginTermination("admin", id, at) }
  }))
  yield* (yield* WorkerNotifier).notify
  return terminated
})

export const TERMINATION_USE_CASES = {
  "instances.terminate": terminate
} satisfies UseCases
