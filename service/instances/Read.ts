/** Reads instances and their activity. Another account's, deleted and missing ones are all reported as not found. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Instance } from "@pulumi-vps/contract/Instance"
import type { Caller } from "../domain/Caller.ts"
import { InstanceNotFound } from "../domain/Errors.ts"
import { ApiKeys } from "../persistence/ApiKeys.ts"
import { InstanceCache } from "../persistence/Caches.ts"
import { Instances } from "../persistence/Instances.ts"
import type { Task as TaskRecord, TaskPage } from "@pulumi-vps/contract/Monitoring"
import { toOptionalTimestamp, toTimestamp } from "../domain/Timestamp.ts"
import { type Charged, toAmount } from "../domain/Money.ts"
import { People } from "../persistence/people/People.ts"
import type { Task } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { findOwn } from "./Admission.ts"

/** A hook that runs before an instance is read by its id: the emulator counts polls with it. */
export const BeforeRead = Context.Reference<((caller: Caller, instanceId: number) => Effect.Effect<void>) | undefined>(
  "@pulumi-vps/service/BeforeRead",
  { defaultValue: () => undefined }
)

/** The account's instances, by id. */
export const listInstances = Effect.fnUntraced(function*(caller: Caller) {
  return yield* (yield* Instances).list(caller.accountId)
})

/** Those of some instances that the account still has. */
export const findInstances = Effect.fnUntraced(function*({ accountId }: Caller, ids: ReadonlyArray<number>) {
  const { show } = yield* Instances
  const found = yield* Effect.forEach(new Set(ids), (id) => show(accountId, id))
  return found.filter((one) => one !== undefined)
})

const findInstance = Effect.fnUntraced(function*({ accountId }: Caller, instanceId: number) {
  const found = yield* (yield* Instances).show(accountId, instanceId)
  return found ?? (yield* new InstanceNotFound({ instanceId }))
})

/** Renders an instance, once until anything is written. */
export const getInstance = Effect.fnUntraced(function*<A>(
  caller: Caller,
  instanceId: number,
  render: (instance: Instance) => A
) {
  const beforeRead = yield* BeforeRead
  if (beforeRead !== undefined) yield* beforeRead(caller, instanceId)
  const cached = yield* InstanceCache
  return yield* cached(caller.accountId, instanceId, Effect.map(findInstance(caller, instanceId), render))
})

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

const feed = Effect.fnUntraced(function*(caller: Caller, instanceId: number, { limit, offset }: Page) {
  yield* findOwn(caller, instanceId)
  const tasks = yield* Tasks
  return { tasks: yield* tasks.feed(instanceId, limit, offset), total: yield* tasks.count(instanceId) }
})

/** One page of the instance's tasks, newest first. Fails with `InstanceNotFound`. */
export const taskPage = Effect.fnUntraced(function*(caller: Caller, instanceId: number, page: Page) {
  const { tasks, total } = yield* feed(caller, instanceId, page)
  return { items: tasks.map(toRecord), total, limit: page.limit, offset: page.offset } satisfies TaskPage
})

/** The name of the person or the API key that requested a task; null for the service and for operators. */
const authorName = Effect.fnUntraced(function*({ apiKeyId, personId }: Task) {
  if (personId !== null) {
    const person = yield* (yield* People).find(personId)
    return person === undefined ? "a person who was removed" : `${person.name} (${person.email})`
  }
  const key = apiKeyId === null ? undefined : yield* (yield* ApiKeys).find(apiKeyId)
  return key === undefined ? null : `API key ${key.name}`
})

/** `taskPage`, with the author of each task. */
export const activity = Effect.fnUntraced(function*(caller: Caller, instanceId: number, page: Page) {
  const { tasks, total } = yield* feed(caller, instanceId, page)
  const items = yield* Effect.forEach(
    tasks,
    (task) => Effect.map(authorName(task), (by) => ({ ...toRecord(task), by }))
  )
  return { items, total }
})
