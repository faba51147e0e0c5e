/**
 * All that happened in an account, for its members: their sign-ins, and acts on keys, people, money and instances. Of
 * what the host does, they see that it was the host, and nothing that only operators wrote or read.
 */
import * as Effect from "effect/Effect"
import type { AuditEntry } from "../domain/AuditEntry.ts"
import { AccountActivity, type ActivityFilter } from "../persistence/AccountActivity.ts"
import { ApiKeys } from "../persistence/ApiKeys.ts"
import { Instances } from "../persistence/Instances.ts"
import { People } from "../persistence/people/People.ts"
import type { Task, TaskStatus } from "../persistence/tasks/Task.ts"
import { membersOf } from "./Members.ts"

/** The author of an act; a name only of a member, a customer, or a key. */
export interface Author {
  readonly kind: "person" | "api_key" | "host" | "service"
  readonly name: string | null
}

export interface ActivityItem {
  /** Unique in the account. */
  readonly id: string
  readonly at: number
  readonly by: Author
  /** An action of the audit log, or a type of tasks. */
  readonly action: string
  /** The key, person or name that the act was about; null where there is none to show. */
  readonly subject: string | null
  readonly instance: { readonly id: number; readonly name: string | null; readonly isDeleted: boolean } | null
  readonly status: TaskStatus
  readonly error: string | null
  readonly requestId: string | null
}

/** The place of a page: before an entry of the audit log, and before a task. */
export interface Place {
  readonly entry: number
  readonly task: number
}

export interface Wanted {
  readonly personId: number | null
  /** Acts on the account itself, or on its instances; null for both. */
  readonly kind: "account" | "instances" | null
  readonly place: Place
  readonly limit: number
}

const HOST: Author = { kind: "host", name: null }
const SERVICE: Author = { kind: "service", name: null }
const REMOVED = "a person who was removed"

type Members = ReadonlySet<number>

/** An operator acts as the host, unless they are a member. A removed person may have been one. */
const personOf = Effect.fnUntraced(function*(id: number, members: Members) {
  const person = yield* (yield* People).find(id)
  if (person === undefined) return { kind: "person", name: REMOVED } satisfies Author
  return person.role === "operator" && !members.has(id) ? HOST : { kind: "person", name: person.email } satisfies Author
})

const authorOfEntry = ({ actor: { kind, personId } }: AuditEntry, members: Members) => {
  if (personId !== null) return personOf(personId, members)
  // An invitation was declined without a session.
  return Effect.succeed(
    kind === "command" ? HOST : kind === "service" ? SERVICE : { kind: "person", name: null } as const
  )
}

const authorOfTask = Effect.fnUntraced(function*({ actor, apiKeyId, personId }: Task, members: Members) {
  if (personId !== null) return yield* personOf(personId, members)
  if (apiKeyId !== null) {
    return { kind: "api_key", name: (yield* (yield* ApiKeys).find(apiKeyId))?.name ?? null } satisfies Author
  }
  return actor === "system" ? SERVICE : HOST
})

/** The fields of details that members may read. */
interface Details {
  readonly name?: unknown
  readonly email?: unknown
  readonly key_id?: unknown
  readonly person_id?: unknown
}

const textOf = (value: unknown): string | null => typeof value === "string" && value !== "" ? value : null

const subjectOf = Effect.fnUntraced(function*({ action, details }: AuditEntry, members: Members) {
  const { email, key_id: keyId, name, person_id: personId } = JSON.parse(details) as Details
  if (action === "keys.rotate" || action === "keys.revoke") {
    return typeof keyId === "number" ? (yield* (yield* ApiKeys).find(keyId))?.name ?? null : null
  }
  if (/^(?:keys|ssh_keys|accounts\.rename)/.test(action)) return textOf(name)
  if (/^(?:invitations\.|people\.(?:invite|withdraw))/.test(action)) return textOf(email)
  if (action !== "people.remove" && action !== "people.permission" || typeof personId !== "number") return null
  return (yield* personOf(personId, members)).name
})

const instanceOf = Effect.fnUntraced(function*(id: number | null) {
  const found = id === null ? undefined : yield* (yield* Instances).find(id)
  return found === undefined ? null : { id: found.id, name: found.hostname, isDeleted: found.lifecycle === "deleted" }
})

const entryItem = Effect.fnUntraced(function*(entry: AuditEntry, members: Members) {
  const by = yield* authorOfEntry(entry, members)
  return {
    id: `entry-${entry.seq}`,
    at: entry.at,
    by,
    action: entry.action,
    subject: yield* subjectOf(entry, members),
    instance: yield* instanceOf(entry.instanceId),
    status: "succeeded",
    error: null,
    requestId: by.kind === "host" ? null : entry.actor.requestId
  } satisfies ActivityItem
})

const taskItem = Effect.fnUntraced(function*(task: Task, members: Members) {
  return {
    id: `task-${task.id}`,
    at: task.createdAt,
    by: yield* authorOfTask(task, members),
    action: task.type,
    subject: null,
    instance: yield* instanceOf(task.instanceId),
    status: task.status,
    error: task.error,
    requestId: task.requestId
  } satisfies ActivityItem
})

const byNumber = (a: AuditEntry, b: AuditEntry): number => b.seq - a.seq

/** Entries of the account, and its members' sign-ins. */
const readEntries = Effect.fnUntraced(function*(filter: ActivityFilter, members: Members) {
  const activity = yield* AccountActivity
  const signedIn = [...members].filter((id) => filter.personId === null || id === filter.personId)
  const signIns = yield* Effect.forEach(signedIn, (personId) => activity.signIns({ ...filter, personId }))
  return [...yield* activity.entries(filter), ...signIns.flat()].toSorted(byNumber).slice(0, filter.limit)
})

const NONE: ReadonlyArray<never> = []

/** One page, newest first; `next` is the place of the next one, and null on the last. */
export const accountActivity = Effect.fnUntraced(function*(accountId: number, wanted: Wanted) {
  const { kind, limit, personId, place } = wanted
  const members: Members = new Set((yield* membersOf(accountId)).map(({ id }) => id))
  // One more shows if there is another page.
  const filter = { accountId, personId, limit: limit + 1 }
  const entries = kind === "instances" ? NONE : yield* readEntries({ ...filter, before: place.entry }, members)
  const tasks = kind === "account" ? NONE : yield* (yield* AccountActivity).tasks({ ...filter, before: place.task })
  const items: Array<ActivityItem> = []
  let [entry, task] = [0, 0]
  while (items.length < limit && (entry < entries.length || task < tasks.length)) {
    const [nextEntry, nextTask] = [entries[entry], tasks[task]]
    if (nextTask === undefined || nextEntry !== undefined && nextEntry.at >= nextTask.createdAt) {
      items.push(yield* entryItem(nextEntry!, members))
      entry++
    } else {
      items.push(yield* taskItem(nextTask, members))
      task++
    }
  }
  const hasMore = entry < entries.length || task < tasks.length
  const next = { entry: entries[entry - 1]?.seq ?? place.entry, task: tasks[task - 1]?.id ?? place.task }
  return { items, next: hasMore ? next : null }
})
