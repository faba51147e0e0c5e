/** The task table: queue, lock and activity feed at once. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Operations that become tasks, under the driver's names; `renew` and `set_auto_renew` are for the feed only. */
export const TASK_TYPES = [
  "provision",
  "start",
  "stop",
  "restart",
  "reinstall",
  "resize",
  "reset_password",
  "set_hostname",
  "set_rdns",
  "snapshot_create",
  "snapshot_restore",
  "snapshot_delete",
  "backup_create",
  "backup_restore",
  "iso_mount",
  "iso_unmount",
  "rescue_enter",
  "rescue_exit",
  "suspend",
  "unsuspend",
  "renew",
  "set_auto_renew",
  "expire",
  "terminate"
] as const
export type TaskType = typeof TASK_TYPES[number]

export type TaskKind = "operation" | "audit"
export type TaskStatus = "queued" | "running" | "succeeded" | "failed" | "cancelled"
export type Actor = "api_key" | "system" | "panel" | "admin"

export interface Task {
  readonly id: number
  readonly instanceId: number
  readonly kind: TaskKind
  readonly type: TaskType
  readonly status: TaskStatus
  /** 0 to 100. */
  readonly progress: number
  readonly actor: Actor
  readonly apiKeyId: number | null
  readonly requestId: string | null
  readonly error: string | null
  /** JSON text of what the plan needs, without secrets. */
  readonly params: string
  /** Encrypted secrets, wiped when the task ends. */
  readonly sealed: string | null
  readonly attempts: number
  /** When it is due; null is held until an operator approves it. */
  readonly runAt: number | null
  /** Grows with every claim; whoever holds an older one is no longer the owner. */
  readonly fence: number
  readonly leaseUntil: number | null
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** The span of the request that began it, as a W3C traceparent; null when that was not traced. */
  readonly trace: string | null
}

export interface NewTask
  extends Pick<Task, "instanceId" | "type" | "actor" | "apiKeyId" | "requestId" | "params" | "sealed" | "runAt">
{
  readonly at: number
  /** Set when the caller itself does the work at once: the task starts as running under this lease, with fence 1. */
  readonly leaseUntil: number | null
  /** Absent when nothing is traced. */
  readonly trace?: string | undefined
}

/** Something that happened beside the operations, for the feed. */
export interface AuditEntry extends Pick<Task, "instanceId" | "type" | "actor" | "apiKeyId" | "requestId" | "error"> {
  readonly status: "succeeded" | "failed"
  readonly at: number
}

/** How many operations of a type are in a status. */
export interface Backlog {
  readonly type: string
  readonly status: "queued" | "running"
  readonly count: number
}

/** How a task ended. */
export interface Outcome {
  readonly status: "succeeded" | "failed" | "cancelled"
  readonly error: string | null
  readonly at: number
}

export class Tasks extends Context.Service<Tasks, {
  /** Fails as a defect when the instance has an open operation already: ask `open` first, in the same transaction. */
  readonly insert: (task: NewTask) => Effect.Effect<number>
  /** Writes an entry of kind `audit`: it is over when it is written, and locks nothing. */
  readonly record: (entry: AuditEntry) => Effect.Effect<void>
  readonly find: (id: number) => Effect.Effect<Task | undefined>
  /** The open operation of an instance. */
  readonly open: (instanceId: number) => Effect.Effect<Task | undefined>
  /** Newest first. */
  readonly feed: (instanceId: number, limit: number, offset: number) => Effect.Effect<ReadonlyArray<Task>>
  readonly count: (instanceId: number) => Effect.Effect<number>
  /** Open operations of all instances, counted. */
  readonly backlog: Effect.Effect<ReadonlyArray<Backlog>>
  readonly all: Effect.Effect<ReadonlyArray<Task>>
  /** Takes due and abandoned tasks, earliest due first; each gets a new fence, one attempt more and the lease. */
  readonly claim: (now: number, leaseUntil: number, limit: number) => Effect.Effect<ReadonlyArray<Task>>
  /** False when the fence is stale. */
  readonly extendLease: (id: number, fence: number, leaseUntil: number) => Effect.Effect<boolean>
  /** False when the fence is stale. */
  readonly setProgress: (id: number, fence: number, progress: number) => Effect.Effect<boolean>
  /** Ends it and wipes its secrets; false when the fence is stale. */
  readonly finish: (id: number, fence: number, outcome: Outcome) => Effect.Effect<boolean>
  /** Ends an open task whoever holds it: its fence is stale from then on. `reason` is shown as its error. */
  readonly cancel: (id: number, reason: string, at: number) => Effect.Effect<void>
  /** Puts it back into the queue; false when the fence is stale. */
  readonly retryAt: (id: number, fence: number, runAt: number, error: string) => Effect.Effect<boolean>
  /** Makes a queued task due now, also one that is held for an operator; false when it is not queued. */
  readonly release: (id: number, at: number) => Effect.Effect<boolean>
  /** Makes every lease claimable: a SQLite file has one owner, so at start nobody else holds any. */
  readonly abandonLeases: Effect.Effect<void>
  /** When the next task falls due, by run_at or by an ending lease. */
  readonly nextDue: Effect.Effect<number | undefined>
}>()("pulumi-vps/service/Tasks") {}
