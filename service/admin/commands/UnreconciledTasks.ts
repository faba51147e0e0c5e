/** The commands for failed tasks that may have left the upstream inconsistent: operators retry or abandon them. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toTimestamp } from "../../domain/Calendar.ts"
import { recoveryOf, UNRECONCILED } from "../../operations/Registry.ts"
import { Instances } from "../../persistence/Instances.ts"
import type { Task } from "../../persistence/tasks/Task.ts"
import { Tasks } from "../../persistence/Tasks.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { tagOf } from "../../provisioning/Driver.ts"
import { addFacts } from "../AuditFacts.ts"
import { reject } from "../CommandRejected.ts"
import { BY_OPERATOR } from "./Instances.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

const toRecord = (task: Task) => ({
  id: task.id,
  instance_id: task.instanceId,
  machine: tagOf(task.instanceId),
  type: task.type,
  left: recoveryOf(task.type).unreconciled!.left,
  error: task.error,
  finished_at: task.finishedAt === null ? null : toTimestamp(task.finishedAt)
})

export const listUnreconciledTasks = Effect.fnUntraced(function*({ before, limit }: InputOf<"tasks.unreconciled">) {
  return (yield* (yield* Tasks).unreconciled(UNRECONCILED, limit, before)).map(toRecord)
})

type Abandonment = InputOf<"tasks.abandon">

/** Runs in a transaction. */
const abandon = Effect.fnUntraced(function*({ id, reason }: Abandonment, at: number) {
  const tasks = yield* Tasks
  const task = yield* tasks.findUnreconciled(UNRECONCILED, id)
  if (task === undefined) {
    return yield* reject(`Task ${id} has nothing left to do. Run "tasks unreconciled" to see tasks that have.`)
  }
  yield* addFacts({ instance_id: task.instanceId, task_type: task.type })
  const instance = yield* (yield* Instances).find(task.instanceId)
  if (task.type === "terminate" && instance?.lifecycle === "expired") {
    return yield* reject(`Task ${id} is retried automatically until the machine is deleted.`)
  }
  yield* tasks.abandon(id, `${task.error ?? "failed"}; abandoned by an operator: ${reason}`)
  const error = `an operator abandoned task ${id}: ${reason}`
  yield* tasks.recordAudit({
    ...BY_OPERATOR,
    instanceId: task.instanceId,
    type: task.type,
    status: "failed",
    error,
    at
  })
  return { ...toRecord(task), reason }
})

/** Removes a task from the list without retrying it. The activity feed records the reason. */
export const abandonTask = Effect.fnUntraced(function*(input: Abandonment) {
  const at = yield* Clock.currentTimeMillis
  return yield* (yield* Transaction).run(abandon(input, at))
})

export const UNRECONCILED_TASKS_USE_CASES = {
  "tasks.unreconciled": listUnreconciledTasks,
  "tasks.abandon": abandonTask
} satisfies UseCases
