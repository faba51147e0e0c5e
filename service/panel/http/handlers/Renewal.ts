/** Instances that have changed, an instance's renewal, the names of its addresses, and who did what on it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { TASKS_LIMIT_DEFAULT } from "#contract/Monitoring"
import { setAutoRenew } from "../../../billing/Renewals.ts"
import { toTimestamp } from "../../../domain/Calendar.ts"
import { authorOf } from "../../../domain/Caller.ts"
import { findOwn } from "../../../instances/Admission.ts"
import { MachineMonitor } from "../../../instances/Monitoring.ts"
import { toRecord } from "../../../instances/Read.ts"
import { ApiKeys } from "../../../persistence/ApiKeys.ts"
import { Instances } from "../../../persistence/Instances.ts"
import { People } from "../../../persistence/people/People.ts"
import type { Task } from "../../../persistence/tasks/Task.ts"
import { Tasks } from "../../../persistence/Tasks.ts"
import { Transaction } from "../../../persistence/Transaction.ts"
import { WorkerNotifier } from "../../../runtime/WorkerNotifier.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { type Member, Refused } from "../Visitor.ts"

/** The name of the person or the API key that requested a task; null for the service and for operators. */
const authorName = Effect.fnUntraced(function*({ apiKeyId, personId }: Task) {
  if (personId !== null) {
    const person = yield* (yield* People).find(personId)
    return person === undefined ? "a person who was removed" : `${person.name} (${person.email})`
  }
  const key = apiKeyId === null ? undefined : yield* (yield* ApiKeys).find(apiKeyId)
  return key === undefined ? null : `API key ${key.name}`
})

type Calls = "instances" | "auto_renew" | "activity" | "ptr_records"

export const renewal: Pick<PanelHandlers<"account", Member>, Calls> = {
  instances: ({ query: { ids } }, { caller }) =>
    Effect.flatMap(Instances, ({ show }) =>
      Effect.map(
        Effect.forEach(new Set(ids.split(",")), (id) => show(caller.accountId, Number(id))),
        (found) => found.filter((one) => one !== undefined)
      )),
  auto_renew: Effect.fnUntraced(function*({ params: { id }, payload: { auto_renew: autoRenew } }, { caller }) {
    const at = yield* Clock.currentTimeMillis
    const set = yield* (yield* Transaction).run(Effect.gen(function*() {
      yield* findOwn(caller, id)
      return yield* setAutoRenew(id, autoRenew, authorOf(caller), at).pipe(
        Effect.catchTag("NotRenewable", ({ message }) => Effect.fail(new Refused({ status: 409, message })))
      )
    }))
    yield* (yield* WorkerNotifier).notify
    const { renewed, subscription } = set
    const expiresAt = subscription === undefined ? null : toTimestamp(subscription.expiresAt)
    return { instance_id: id, auto_renew: autoRenew, expires_at: expiresAt, renewed }
  }),
  activity: Effect.fnUntraced(function*({ params: { id }, query }, { caller }) {
    yield* findOwn(caller, id)
    const tasks = yield* Tasks
    const { limit = TASKS_LIMIT_DEFAULT, offset = 0 } = query
    const page = yield* tasks.feed(id, limit, offset)
    const items = yield* Effect.forEach(
      page,
      (task) => Effect.map(authorName(task), (by) => ({ ...toRecord(task), by }))
    )
    return { items, total: yield* tasks.count(id) }
  }),
  ptr_records: Effect.fnUntraced(function*({ params: { id } }, { caller }) {
    const { ipv4, ipv6 } = yield* findOwn(caller, id)
    const monitor = yield* MachineMonitor
    const addresses = [ipv4, ipv6].filter((ip) => ip !== null)
    return yield* Effect.forEach(
      addresses,
      (ip) => Effect.map(monitor.ptr(ip), (ptr) => ({ ip, ptr: ptr ?? null })),
      { concurrency: "unbounded" }
    )
  })
}
