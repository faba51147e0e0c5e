/** A row of the task table; its columns and the tuple change together. */
import type { Actor, Task, TaskKind, TaskStatus, TaskType } from "../Tasks.ts"

export type Row = [
  id: number,
  instanceId: number,
  kind: TaskKind,
  type: TaskType,
  status: TaskStatus,
  progress: number,
  actor: Actor,
  apiKeyId: number | null,
  requestId: string | null,
  error: string | null,
  params: string,
  sealed: string | null,
  attempts: number,
  runAt: number | null,
  fence: number,
  leaseUntil: number | null,
  createdAt: number,
  startedAt: number | null,
  finishedAt: number | null,
  trace: string | null
]

const NAMES = [
  "id",
  "instance_id",
  "kind",
  "type",
  "status",
  "progress",
  "actor",
  "api_key_id",
  "request_id",
  "error",
  "params",
  "sealed",
  "attempts",
  "run_at",
  "fence",
  "lease_until",
  "created_at",
  "started_at",
  "finished_at",
  "trace"
] as const

/** Under the table's own name, where a statement knows several. */
export const columnsOf = (table: string): string => NAMES.map((name) => `${table}.${name}`).join(", ")

export const COLUMNS = NAMES.join(", ")

export const toTask = (row: Row): Task => ({
  id: row[0],
  instanceId: row[1],
  kind: row[2],
  type: row[3],
  status: row[4],
  progress: row[5],
  actor: row[6],
  apiKeyId: row[7],
  requestId: row[8],
  error: row[9],
  params: row[10],
  sealed: row[11],
  attempts: row[12],
  runAt: row[13],
  fence: row[14],
  leaseUntil: row[15],
  createdAt: row[16],
  startedAt: row[17],
  finishedAt: row[18],
  trace: row[19]
})
