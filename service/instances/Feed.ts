/** The activity feed of an instance. */
import * as Effect from "effect/Effect"
import type { Task as TaskRecord, TaskPage } from "#contract/Monitoring"
import { toOptionalTimestamp, toTimestamp } from "../domain/Calendar.ts"
import type { Caller } from "../domain/Caller.ts"
import { type Charged, toAmount } from "../domain/Money.ts"
import type { Task } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { findOwn } from "./Admission.ts"

/** The charge of a renewal. */
const chargeOf = ({ params, type }: Task): Pick<TaskRecord, "charge_amount" | "currency"> => {
  const { charge, currency } = (type === "renew" ? JSON.parse(params) : {}) as Partial<Charged>
  return { charge_amount: charge === undefined ? null : toAmount(charge), currency: currency ?? null }
}

/** A task as the API returns it: without its parameters. */
export const toRecord = (task: Task): TaskRecord => ({
  id: task.id,
  instance_id: task.instanceId,
  kind: task.kind,
  type: task.type,
  status: task.status,
  progress: task.progress,
  actor: task.actor,
  api_key_id: task.apiKeyId,
  request_id: task.requestId,
  error: task.error,
  ...chargeOf(task),
  created_at: toTimestamp(task.createdAt),
  started_at: toOptionalTimestamp(task.startedAt),
  finished_at: toOptionalTimestamp(task.finishedAt)
})

export interface Page {
  readonly limit: number
  readonly offset: number
}

/** One page of the instance's tasks, newest first. Fails with `InstanceNotFound`. */
export const taskPage = Effect.fnUntraced(function*(caller: Caller, instanceId: number, { limit, offset }: Page) {
  yield* findOwn(caller, instanceId)
  const tasks = yield* Tasks
  const items = yield* tasks.feed(instanceId, limit, offset)
  const total = yield* tasks.count(instanceId)
  return { items: items.map(toRecord), total, limit, offset } satisfies TaskPage
})
