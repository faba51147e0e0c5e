/** The tasks that an account's members wait for, and those that failed. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { missing } from "../../../auth/Rejected.ts"
import { Limits } from "../../../config/Limits.ts"
import { toRecord } from "../../../instances/Read.ts"
import type { NamedTask } from "../../../persistence/tasks/AccountTasks.ts"
import { Tasks } from "../../../persistence/Tasks.ts"
import { Transaction } from "../../../persistence/Transaction.ts"
import type { AccountTask } from "../../contract/TaskCalls.ts"
import type { PanelHandlers } from "../Handlers.ts"
import type { Member } from "../Visitor.ts"
import { hostnameOf } from "../../../operations/InstalledSystem.ts"

const taskRecord = (task: NamedTask): AccountTask => ({
  ...toRecord(task),
  hostname: hostnameOf({ id: task.instanceId, hostname: task.hostname })
})

/** Most failures in a list: more than anyone reads. */
const FAILURES_MAX = 100

export const tasks: PanelHandlers<"tasks", Member> = {
  list: Effect.fnUntraced(function*({ query: { ids } }, { caller: { accountId } }) {
    const { ofAccount } = yield* Tasks
    const found = yield* Effect.forEach(new Set(ids.split(",").map(Number)), (id) => ofAccount(accountId, id))
    return found.filter((task) => task !== undefined).map(taskRecord)
  }),
  failures: Effect.fnUntraced(function*(_, { caller: { accountId } }) {
    const since = (yield* Clock.currentTimeMillis) - (yield* Limits).FAILURES_SHOWN_MILLIS
    return (yield* (yield* Tasks).failures(accountId, since, FAILURES_MAX)).map(taskRecord)
  }),
  dismiss: Effect.fnUntraced(function*({ params: { id } }, { caller: { accountId } }) {
    const at = yield* Clock.currentTimeMillis
    const dismissed = yield* (yield* Transaction).run(
      Effect.flatMap(Tasks, ({ dismiss }) => dismiss(accountId, id, at))
    )
    return dismissed ? { ok: true as const } : yield* missing("Task")
  })
}
