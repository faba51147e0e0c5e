import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type AuditEntry, type Backlog, type Outcome, Tasks } from "../Tasks.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "./Rows.ts"
import { claims } from "./TaskClaims.ts"
import { COLUMNS, type Row, toTask } from "./TaskRow.ts"

const OPEN = "kind = 'operation' AND status IN ('queued', 'running')"
const HELD = "id = ? AND fence = ? AND status = 'running'"

const reads = (sql: Sql["Service"]) => {
  const find = sql.one<Row>(`SELECT ${COLUMNS} FROM tasks WHERE id = ?`)
  const open = sql.one<Row>(`SELECT ${COLUMNS} FROM tasks WHERE instance_id = ? AND ${OPEN}`)
  const feed = sql.all<Row>(`SELECT ${COLUMNS} FROM tasks WHERE instance_id = ? ORDER BY id DESC LIMIT ? OFFSET ?`)
  const count = sql.one<[number]>("SELECT count(*) FROM tasks WHERE instance_id = ?")
  const backlog = sql.all<[string, Backlog["status"], number]>(
    `SELECT type, status, count(*) FROM tasks WHERE ${OPEN} GROUP BY type, status ORDER BY type, status`
  )
  const all = sql.all<Row>(`SELECT ${COLUMNS} FROM tasks ORDER BY id`)
  const nextDue = sql.one<[number | null]>(
    `SELECT min(at) FROM (SELECT min(run_at) AS at FROM tasks WHERE status = 'queued'
       UNION ALL SELECT min(lease_until) FROM tasks WHERE status = 'running') AS moments`
  )
  return {
    find: (id: number) => Rows.optional(find(id), toTask),
    open: (instanceId: number) => Rows.optional(open(instanceId), toTask),
    feed: (instanceId: number, limit: number, offset: number) => Rows.each(feed(instanceId, limit, offset), toTask),
    count: (instanceId: number) => Rows.value(count(instanceId)),
    backlog: Rows.each(backlog(), ([type, status, count]) => ({ type, status, count })),
    all: Rows.each(all(), toTask),
    nextDue: Rows.optionalValue(nextDue())
  }
}

const holds = (sql: Sql["Service"]) => {
  const extend = sql.run(`UPDATE tasks SET lease_until = ? WHERE ${HELD}`)
  const progress = sql.run(`UPDATE tasks SET progress = ? WHERE ${HELD}`)
  const finish = sql.run(
    `UPDATE tasks SET status = ?, error = ?, progress = CASE ? WHEN 'succeeded' THEN 100 ELSE progress END,
       finished_at = ?, sealed = NULL, lease_until = NULL WHERE ${HELD}`
  )
  const retry = sql.run(
    `UPDATE tasks SET status = 'queued', run_at = ?, error = ?, lease_until = NULL WHERE ${HELD}`
  )
  const cancel = sql.run(
    `UPDATE tasks SET status = 'cancelled', error = ?, finished_at = ?, sealed = NULL, lease_until = NULL
     WHERE id = ? AND status IN ('queued', 'running')`
  )
  const release = sql.run("UPDATE tasks SET run_at = ? WHERE id = ? AND status = 'queued'")
  const abandon = sql.run("UPDATE tasks SET lease_until = 0 WHERE status = 'running'")
  return {
    extendLease: (id: number, fence: number, leaseUntil: number) => Rows.changed(extend(leaseUntil, id, fence)),
    setProgress: (id: number, fence: number, percent: number) => Rows.changed(progress(percent, id, fence)),
    finish: (id: number, fence: number, { at, error, status }: Outcome) =>
      Rows.changed(finish(status, error, status, at, id, fence)),
    retryAt: (id: number, fence: number, runAt: number, error: string) => Rows.changed(retry(runAt, error, id, fence)),
    cancel: (id: number, reason: string, at: number) => Effect.asVoid(cancel(reason, at, id)),
    release: (id: number, at: number) => Rows.changed(release(at, id)),
    abandonLeases: Effect.asVoid(abandon())
  }
}

const audits = (sql: Sql["Service"]) => {
  const record = sql.run(
    `INSERT INTO tasks (instance_id, kind, type, status, progress, actor, api_key_id, request_id, error, params,
       attempts, fence, created_at, started_at, finished_at)
     VALUES (?1, 'audit', ?2, ?3, 100, ?4, ?5, ?6, ?7, '{}', 1, 0, ?8, ?8, ?8)`
  )
  return {
    record: (e: AuditEntry) =>
      Effect.asVoid(record(e.instanceId, e.type, e.status, e.actor, e.apiKeyId, e.requestId, e.error, e.at))
  }
}

const make = Effect.map(Sql, (sql) => {
  const insert = sql.insert(
    `INSERT INTO tasks (instance_id, kind, type, status, progress, actor, api_key_id, request_id, params, sealed,
       attempts, run_at, fence, lease_until, created_at, started_at)
     VALUES (?, 'operation', ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  )
  // Seldom, and so not a column of the insert that every create pays for.
  const traced = sql.run("UPDATE tasks SET trace = ? WHERE id = ?")
  return Tasks.of({
    ...reads(sql),
    ...claims(sql),
    ...holds(sql),
    ...audits(sql),
    insert: (task) => {
      const running = task.leaseUntil !== null
      const inserted = insert(
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
      const { trace } = task
      return trace === undefined ? inserted : Effect.tap(inserted, (id) => traced(trace, id))
    }
  })
})

export const layer: Layer.Layer<Tasks, never, Sql> = Layer.effect(Tasks, make)
