/** Who does what is due: each task is taken by one worker at a time, under a new fence. */
import * as Effect from "effect/Effect"
import type { Sql } from "../Sql.ts"
import type { Task } from "../Tasks.ts"
import * as Rows from "./Rows.ts"
import { COLUMNS, columnsOf, type Row, toTask } from "./TaskRow.ts"

/**
 * The first `?2` tasks due at `?1`. Each half reads its index in order and stops at the limit, so a long queue costs
 * no more than a short one.
 */
const due = (lock: string): string =>
  `SELECT id, at FROM (
     SELECT * FROM (SELECT id, run_at AS at FROM tasks
       WHERE status = 'queued' AND run_at <= ?1 ORDER BY run_at, id LIMIT ?2 ${lock}) AS queued
     UNION ALL
     SELECT * FROM (SELECT id, lease_until AS at FROM tasks
       WHERE status = 'running' AND lease_until <= ?1 ORDER BY lease_until, id LIMIT ?2 ${lock}) AS abandoned
   ) AS candidates ORDER BY at, id LIMIT ?2`

const taking = (now: string, leaseUntil: string): string =>
  `UPDATE tasks SET status = 'running', fence = fence + 1, attempts = attempts + 1, lease_until = ${leaseUntil},
     started_at = coalesce(started_at, ${now})`

type Claim = (now: number, leaseUntil: number, limit: number) => Effect.Effect<ReadonlyArray<Task>>

/** There is one worker, and a statement is cheap. */
const onSqlite = (sql: Sql["Service"]): Claim => {
  const ids = sql.all<[id: number, at: number]>(due(""))
  const take = sql.one<Row>(`${taking("?2", "?3")} WHERE id = ?1 RETURNING ${COLUMNS}`)
  return (now, leaseUntil, limit) =>
    Effect.flatMap(
      ids(now, limit),
      Effect.forEach(([id]) => Effect.map(take(id, now, leaseUntil), (row) => toTask(row!)))
    )
}

/** Other replicas claim at the same time: what one of them is taking is passed over. In one round trip. */
const onPostgres = (sql: Sql["Service"]): Claim => {
  const claim = sql.all<Row>(
    `WITH due AS (${due("FOR UPDATE SKIP LOCKED")}),
     taken AS (${taking("?1", "?3")} FROM due WHERE tasks.id = due.id RETURNING ${columnsOf("tasks")}, due.at)
     SELECT ${COLUMNS} FROM taken ORDER BY at, id`
  )
  return (now, leaseUntil, limit) => Rows.each(claim(now, limit, leaseUntil), toTask)
}

export const claims = (sql: Sql["Service"]): { readonly claim: Claim } => ({
  claim: sql.dialect === "sqlite" ? onSqlite(sql) : onPostgres(sql)
})
