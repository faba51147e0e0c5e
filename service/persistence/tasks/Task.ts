/** A task, and the columns that store it. */
import type { TaskType } from "../../domain/TaskType.ts"
import { columns } from "../Columns.ts"

export type TaskKind = "operation" | "audit"
export type TaskStatus = "queued" | "running" | "succeeded" | "failed" | "cancelled"
/** `compensate`: it reverts a failed task; `settle`: it finds out which steps of one were executed. */
export type TaskPurpose = "request" | "compensate" | "settle"
export type Actor = "api_key" | "system" | "panel" | "admin"

export interface Task {
  readonly id: number
  readonly instanceId: number
  readonly kind: TaskKind
  readonly type: TaskType
  readonly purpose: TaskPurpose
  /** The failed task that it compensates for or settles, which may be deleted since; null if it was requested. */
  readonly ofTaskId: number | null
  readonly status: TaskStatus
  /** 0 to 100. */
  readonly progress: number
  readonly actor: Actor
  readonly apiKeyId: number | null
  /** The person who requested it in the panel. */
  readonly personId: number | null
  readonly requestId: string | null
  readonly error: string | null
  /** Parameters of the operation as JSON text, without secrets. */
  readonly params: string
  /** Encrypted secrets, wiped when the task ends. */
  readonly sealed: string | null
  readonly attempts: number
  /** The time at which it is due; null until an operator approves it. */
  readonly runAt: number | null
  /** Grows with every claim; the holder of an older one no longer owns the task. */
  readonly fence: number
  readonly leaseUntil: number | null
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** Span of the request that queued the task, as a W3C traceparent; null when that was not traced. */
  readonly trace: string | null
}

export interface NewTask
  extends Pick<Task, "instanceId" | "type" | "actor" | "apiKeyId" | "requestId" | "params" | "sealed" | "runAt">
{
  readonly at: number
  /** Set when the caller does the work at once: the task starts as running under this lease, with fence 1. */
  readonly leaseUntil: number | null
  /** Absent unless a person requested it in the panel. */
  readonly personId?: number | undefined
  /** Absent when the request is not traced. */
  readonly trace?: string | undefined
  /** Absent: it is requested. */
  readonly purpose?: TaskPurpose
  readonly ofTaskId?: number | null
}

/** An event for the activity feed that is not an operation. */
export interface AuditEntry extends Pick<Task, "instanceId" | "type" | "actor" | "apiKeyId" | "requestId" | "error"> {
  readonly status: "succeeded" | "failed"
  /** Absent unless a person did it in the panel. */
  readonly personId?: number | undefined
  /** JSON text; an empty object if absent. */
  readonly params?: string
  readonly at: number
}

/** The number of operations of a type in a status. */
export interface Backlog {
  readonly type: string
  readonly status: "queued" | "running"
  readonly count: number
}

/** The result of a task. */
export interface TaskOutcome {
  readonly status: "succeeded" | "failed" | "cancelled"
  readonly error: string | null
  readonly at: number
}

export const TASK = columns<Task>({
  id: "id",
  instanceId: "instance_id",
  kind: "kind",
  type: "type",
  purpose: "purpose",
  ofTaskId: "of_task_id",
  status: "status",
  progress: "progress",
  actor: "actor",
  apiKeyId: "api_key_id",
  personId: "person_id",
  requestId: "request_id",
  error: "error",
  params: "params",
  sealed: "sealed",
  attempts: "attempts",
  runAt: "run_at",
  fence: "fence",
  leaseUntil: "lease_until",
  createdAt: "created_at",
  startedAt: "started_at",
  finishedAt: "finished_at",
  trace: "trace"
})

/** The condition of an open operation. Audit entries are finished when they are written. */
export const OPEN = "finished_at IS NULL"

/** Joins an instance `i` with its open operation `t`; at most one is open. */
export const JOIN_OPEN_TASK = `LEFT JOIN tasks t ON t.instance_id = i.id AND t.${OPEN}`
