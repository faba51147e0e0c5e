import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  type Actor,
  type AuditEntry,
  type Backlog,
  type Task,
  type TaskKind,
  Tasks,
  type TaskStatus,
  type TaskType
} from "../Tasks.ts"
import { Database } from "./Database.ts"

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

export const COLUMNS =
  `id, instance_id, kind, type, status, progress, actor, api_key_id, request_id, error, params, sealed,
  attempts, run_at, fence, lease_until, created_at, started_at, finished_at, trace`

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

const OPEN = "kind = 'operation' AND status IN ('queued', 'running')"
const HELD = "id = ? AND fence = ? AND status = 'running'"

const reads = (db: Database["Service"]) => {
  const find = db.one<Row>(`SELECT ${COLUMNS} FROM tasks WHERE id = ?`)
  const open = db.one<Row>(`SELECT ${COLUMNS} FROM tasks WHERE instance_id = ? AND ${OPEN}`)
  const feed = db.all<Row>(`SELECT ${COLUMNS} FROM tasks WHERE instance_id = ? ORDER BY id DESC LIMIT ? OFFSET ?`)
  const count = db.one<[number]>("SELECT count(*) FROM tasks WHERE instance_id = ?")
  const backlog = db.all<[string, Backlog["status"], number]>(
    `SELECT type, status, count(*) FROM tasks WHERE ${OPEN} GROUP BY type, status ORDER BY type, status`
  )
  const all = db.all<Row>(`SELECT ${COLUMNS} FROM tasks ORDER BY id`)
  const nextDue = db.one<[number | null]>(
    `SELECT min(at) FROM (SELECT min(run_at) AS at FROM tasks WHERE status = 'queued'
       UNION ALL SELECT min(lease_until) FROM tasks WHERE status = 'running')`
  )
  const optional = (row: Row | undefined) => row === undefined ? undefined : toTask(row)
  return {
    find: (id: number) => Effect.sync(() => optional(find(id))),
    open: (instanceId: number) => Effect.sync(() => optional(open(instanceId))),
    feed: (instanceId: number, limit: number, offset: number) =>
      Effect.sync(() => feed(instanceId, limit, offset).map(toTask)),
    count: (instanceId: number) => Effect.sync(() => count(instanceId)![0]),
    backlog: Effect.sync(() => backlog().map(([type, status, count]) => ({ type, status, count }))),
    all: Effect.sync(() => all().map(toTask)),
    nextDue: Effect.sync(() => nextDue()![0] ?? undefined)
  }
}

const claims = (db: Database["Service"]) => {
  // Each half reads its index in order and stops at the limit, so a long queue costs no more than a short one.
  const due = db.all<[number]>(
    `SELECT id FROM (
       SELECT * FROM (SELECT id, run_at AS at FROM tasks
         WHERE status = 'queued' AND run_at <= ?1 ORDER BY run_at, id LIMIT ?2)
       UNION ALL
       SELECT * FROM (SELECT id, lease_until FROM tasks
         WHERE status = 'running' AND lease_until <= ?1 ORDER BY lease_until, id LIMIT ?2))
     ORDER BY at, id LIMIT ?2`
  )
  const take = db.one<Row>(
    `UPDATE tasks SET status = 'running', fence = fence + 1, attempts = attempts + 1, lease_until = ?2,
       started_at = coalesce(started_at, ?3) WHERE id = ?1 RETURNING ${COLUMNS}`
  )
  const extend = db.run(`UPDATE tasks SET lease_until = ? WHERE ${HELD}`)
  const progress = db.run(`UPDATE tasks SET progress = ? WHERE ${HELD}`)
  const finish = db.run(
    `UPDATE tasks SET status = ?, error = ?, progress = CASE ? WHEN 'succeeded' THEN 100 ELSE progress END,
       finished_at = ?, sealed = NULL, lease_until = NULL WHERE ${HELD}`
  )
  const retry = db.run(
    `UPDATE tasks SET status = 'queued', run_at = ?, error = ?, lease_until = NULL WHERE ${HELD}`
  )
  const cancel = db.run(
    `UPDATE tasks SET status = 'cancelled', error = ?, finished_at = ?, sealed = NULL, lease_until = NULL
     WHERE id = ? AND status IN ('queued', 'running')`
  )
  const release = db.run("UPDATE tasks SET run_at = ? WHERE id = ? AND status = 'queued'")
  const abandon = db.run("UPDATE tasks SET lease_until = 0 WHERE status = 'running'")
  return {
    claim: (now: number, leaseUntil: number, limit: number) =>
      Effect.sync(() => due(now, limit).map(([id]) => toTask(take(id, leaseUntil, now)!))),
    extendLease: (id: number, fence: number, leaseUntil: number) =>
      Effect.sync(() => extend(leaseUntil, id, fence).changes === 1),
    setProgress: (id: number, fence: number, percent: number) =>
      Effect.sync(() => progress(percent, id, fence).changes === 1),
    finish: (
      id: number,
      fence: number,
      { at, error, status }: { readonly at: number; readonly error: string | null; readonly status: string }
    ) => Effect.sync(() => finish(status, error, status, at, id, fence).changes === 1),
    retryAt: (id: number, fence: number, runAt: number, error: string) =>
      Effect.sync(() => retry(runAt, error, id, fence).changes === 1),
    cancel: (id: number, reason: string, at: number) => Effect.sync(() => void cancel(reason, at, id)),
    release: (id: number, at: number) => Effect.sync(() => release(at, id).changes === 1),
    abandonLeases: Effect.sync(() => void abandon())
  }
}

const audits = (db: Database["Service"]) => {
  const record = db.run(
    `INSERT INTO tasks (instance_id, kind, type, status, progress, actor, api_key_id, request_id, error, params,
       attempts, fence, created_at, started_at, finished_at)
     VALUES (?1, 'audit', ?2, ?3, 100, ?4, ?5, ?6, ?7, '{}', 1, 0, ?8, ?8, ?8)`
  )
  return {
    record: (e: AuditEntry) =>
      Effect.sync(() => void record(e.instanceId, e.type, e.status, e.actor, e.apiKeyId, e.requestId, e.error, e.at))
  }
}

const make = Effect.map(Database, (db) => {
  const insert = db.run(
    `INSERT INTO tasks (instance_id, kind, type, status, progress, actor, api_key_id, request_id, params, sealed,
       attempts, run_at, fence, lease_until, created_at, started_at)
     VALUES (?, 'operation', ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  )
  // Seldom, and so not a column of the insert that every create pays for.
  const traced = db.run("UPDATE tasks SET trace = ? WHERE id = ?")
  return Tasks.of({
    ...reads(db),
    ...claims(db),
    ...audits(db),
    insert: (task) =>
      Effect.sync(() => {
        const running = task.leaseUntil !== null
        const { id } = insert(
          task.instanceId,
          task.type,
          running ? "running" : "queued",
          task.actor,
          task.apiKeyId,
          task.requestId,
          task.params,
          task.sealed,
          running ? 1 : 0,
          task.runAt,
          running ? 1 : 0,
          task.leaseUntil,
          task.at,
          running ? task.at : null
        )
        if (task.trace !== undefined) traced(task.trace, id)
        return id
      })
  })
})

export const layer: Layer.Layer<Tasks, never, Database> = Layer.effect(Tasks, make)
