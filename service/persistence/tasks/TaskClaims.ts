/** The queue: due tasks are claimed by one worker at a time, under a lease and a new fence. */
import * as Effect from "effect/Effect"
import { type Row, update, updateOne } from "../Columns.ts"
import * as Rows from "../Rows.ts"
import type { Sql } from "../Sql.ts"
import { OPEN, TASK, type Task, type TaskOutcome } from "./Task.ts"

export interface TaskClaims {
  /** Claims due and abandoned tasks, earliest due first; each gets a new fence, one attempt more and the lease. */
  readonly claim: (now: number, leaseUntil: number, limit: number) => Effect.Effect<ReadonlyArray<Task>>
  /** False when the fence is stale. */
  readonly extendLease: (id: number, fence: number, leaseUntil: number) => Effect.Effect<boolean>
  /** False when the fence is stale. */
  readonly setProgress: (id: number, fence: number, progress: number) => Effect.Effect<boolean>
  /** Ends the task and wipes its secrets; false when the fence is stale. */
  readonly finish: (id: number, fence: number, outcome: TaskOutcome) => Effect.Effect<boolean>
  /** Requeues the task after a number of attempts; false when the fence is stale. */
  readonly retryAt: (
    id: number,
    fence: number,
    runAt: number,
    error: string,
    attempts: number
  ) => Effect.Effect<boolean>
  /** Returns a task that was inserted already claimed, and has not been started, to the queue. */
  readonly unclaim: (id: number, at: number) => Effect.Effect<void>
  /** Ends an open task, even while a worker holds it, and makes its fence stale. `reason` is stored as its error. */
  readonly cancel: (id: number, reason: string, at: number) => Effect.Effect<void>
  /** Makes a queued task due now, also one that waits for an operator; false when it is not queued. */
  readonly runNow: (id: number, at: number) => Effect.Effect<boolean>
  /** Makes tasks due now that are queued for later than `latest`. */
  readonly bringForward: (now: number, latest: number) => Effect.Effect<void>
  /** Shortens leases that are longer. */
  readonly shortenLeases: (leaseUntil: number) => Effect.Effect<void>
  /** Makes every lease claimable: a SQLite file has one owner, so at start no other process holds any. */
  readonly expireLeases: Effect.Effect<void>
  /** When the next task falls due, by `run_at` or by an ending lease. */
  readonly nextDue: Effect.Effect<number | undefined>
}

/** The expression of the index `tasks_due`: the next run of a queued task, the end of a running one's lease. */
const DUE_AT = "CASE status WHEN 'queued' THEN run_at ELSE lease_until END"

export const NEXT_DUE = `SELECT ${DUE_AT} FROM tasks WHERE ${OPEN} AND ${DUE_AT} IS NOT NULL ORDER BY ${DUE_AT} LIMIT 1`

/** The first `?2` tasks due at `?1`. Reads its index in order and stops at the limit, however long the queue is. */
const due = (lock: string): string =>
  `SELECT id, ${DUE_AT} AS at FROM tasks WHERE ${OPEN} AND ${DUE_AT} <= ?1 ORDER BY ${DUE_AT}, id LIMIT ?2 ${lock}`

const taking = (now: string, leaseUntil: string): string =>
  `UPDATE tasks SET status = 'running', fence = fence + 1, attempts = attempts + 1, lease_until = ${leaseUntil},
     started_at = coalesce(started_at, ${now})`

/** A file has one worker, and a statement is cheap. */
const claimAlone = (sql: Sql["Service"]): TaskClaims["claim"] => {
  const ids = sql.all<[id: number, at: number]>(due(""))
  const take = sql.one<Row>(`${taking("?2", "?3")} WHERE id = ?1 RETURNING ${TASK.sql}`)
  return (now, leaseUntil, limit) =>
    Effect.flatMap(
      ids(now, limit),
      Effect.forEach(([id]) => Effect.map(take(id, now, leaseUntil), (row) => TASK.decode(row!)))
    )
}

/**
 * Replicas claim at the same time and skip the rows that another one is claiming. A row that was committed meanwhile is
 * compared again when it is locked, so READ COMMITTED is enough. Takes one round trip.
 */
const claimTogether = (sql: Sql["Service"]): TaskClaims["claim"] => {
  const claim = sql.all<Row>(
    `WITH due AS (${due("FOR UPDATE SKIP LOCKED")}),
     taken AS (${taking("?1", "?3")} FROM due WHERE tasks.id = due.id RETURNING ${TASK.of("tasks")}, due.at)
     SELECT ${TASK.sql} FROM taken ORDER BY at, id`
  )
  return (now, leaseUntil, limit) => Rows.each(claim(now, limit, leaseUntil), TASK.decode)
}

const HELD = "id = ?1 AND fence = ?2 AND status = 'running'"

export const taskClaims = (sql: Sql["Service"]): TaskClaims => {
  const finish = updateOne(
    sql,
    `UPDATE tasks SET status = ?3, error = ?4, progress = CASE ?3 WHEN 'succeeded' THEN 100 ELSE progress END,
       finished_at = ?5, sealed = NULL, lease_until = NULL WHERE ${HELD}`
  )
  const expireLeases = update(sql, `UPDATE tasks SET lease_until = 0 WHERE ${OPEN} AND status = 'running'`)
  const nextDue = sql.one<[number]>(NEXT_DUE)
  return {
    claim: sql.dialect.isShared ? claimTogether(sql) : claimAlone(sql),
    extendLease: updateOne(sql, `UPDATE tasks SET lease_until = ?3 WHERE ${HELD}`),
    setProgress: updateOne(sql, `UPDATE tasks SET progress = ?3 WHERE ${HELD}`),
    finish: (id, fence, { at, error, status }) => finish(id, fence, status, error, at),
    retryAt: updateOne(
      sql,
      `UPDATE tasks SET status = 'queued', run_at = ?3, error = ?4, attempts = ?5, lease_until = NULL WHERE ${HELD}`
    ),
    unclaim: update(
      sql,
      `UPDATE tasks SET status = 'queued', attempts = 0, run_at = ?2, lease_until = NULL, started_at = NULL
       WHERE id = ?1 AND fence = 1 AND status = 'running'`
    ),
    cancel: update(
      sql,
      `UPDATE tasks SET status = 'cancelled', error = ?2, finished_at = ?3, sealed = NULL, lease_until = NULL
       WHERE id = ?1 AND ${OPEN}`
    ),
    runNow: updateOne(sql, "UPDATE tasks SET run_at = ?2 WHERE id = ?1 AND status = 'queued'"),
    bringForward: update(sql, `UPDATE tasks SET run_at = ?1 WHERE ${OPEN} AND status = 'queued' AND run_at > ?2`),
    shortenLeases: update(
      sql,
      `UPDATE tasks SET lease_until = ?1 WHERE ${OPEN} AND status = 'running' AND lease_until > ?1`
    ),
    expireLeases: expireLeases(),
    nextDue: Rows.optionalValue(nextDue())
  }
}
