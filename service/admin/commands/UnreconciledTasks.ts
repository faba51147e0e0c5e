/** What failed tasks may have left at the upstream, for operators to see to: it is begun anew, or given up. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toTimestamp } from "../../domain/Calendar.ts"
import { recoveryOf, UNRECONCILED } from "../../operations/Registry.ts"
import { Instances } from "../../persistence/Instances.ts"
import type { Task } from "../../persistence/tasks/Task.ts"
import { Tasks } from "../../persistence/Tasks.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { tagOf } from "../../provisioning/Driver.ts"
import { CommandRejected } from "../InputSchemas.ts"

const toRecord = (task: Task) => ({
  id: task.id,
  instance_id: task.instanceId,
  machine: tagOf(task.instanceId),
  type: task.type,
  left: recoveryOf(task.type).unreconciled!.left,
  error: task.error,
  finished_at: task.finishedAt === null ? null : toTimestamp(task.finishedAt)
})

export const listUnreconciledTasks = Effect.fnUntraced(function*({ limit }: { limit: number }) {
  return (yield* (yield* Tasks).unreconciled(UNRECONCILED, limit)).map(toRecord)
})

export interface AbandonRequest {
  readonly id: number
  readonly reason: string
}

/** Runs in a transaction. */
const abandon = Effect.fnUntraced(function*({ id, reason }: AbandonRequest, at: number) {
  const tasks = yield* Tasks
  const task = yield* tasks.findUnreconciled(UNRECONCILED, id)
  if (task === undefined) {
    return yield* new CommandRejected({
      message: `Task ${id} left nothing to do; "tasks leftovers" shows those that did.`
    })
  }
  const instance = yield* (yield* Instances).find(task.instanceId)
  if (task.type === "terminate" && instance?.lifecycle === "expired") {
    return yield* new CommandRejected({ message: `Task ${id} is begun anew by itself until the machine is gone.` })
  }
  yield* tasks.abandon(id, `${task.error ?? "failed"}; given up by an operator: ${reason}`)
  const error = `an operator gave up on task ${id}: ${reason}`
  const entry = {
    instanceId: task.instanceId,
    type: task.type,
    actor: "admin",
    apiKeyId: null,
    requestId: null
  } as const
  yield* (yield* Tasks).recordAudit({ ...entry, status: "failed", error, at })
  return { ...toRecord(task), reason }
})

/** Nobody goes on with it: it leaves the list, and the feed tells who decided so, and why. */
export const abandonTask = Effect.fnUntraced(function*(abandoned: AbandonRequest) {
  const at = yield* Clock.currentTimeMillis
  return yield* (yield* Transaction).run(abandon(abandoned, at))
})
