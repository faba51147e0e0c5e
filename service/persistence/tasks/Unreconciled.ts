/** Failed tasks that left an operator something to reconcile, and the retention of all other ended ones. */
import * as Effect from "effect/Effect"
import { type Row } from "../Columns.ts"
import { isTrueIn } from "../Dialects.ts"
import * as Rows from "../Rows.ts"
import type { Dialect, Sql } from "../Sql.ts"
import { TASK, type Task } from "./Task.ts"

export interface Unreconciled {
  /**
   * Failed tasks after which the upstream may differ from our record, and which were neither repeated nor abandoned:
   * newest first. They are never deleted.
   */
  readonly unreconciled: (limit: number) => Effect.Effect<ReadonlyArray<Task>>
  /** One of them. */
  readonly findUnreconciled: (id: number) => Effect.Effect<Task | undefined>
  /** Ends the work on one of them: it counts as cancelled, for this reason. */
  readonly abandon: (id: number, reason: string) => Effect.Effect<void>
  /** When the oldest task was created, ended or not, in epoch milliseconds. */
  readonly oldest: Effect.Effect<number | undefined>
  /** Deletes ended tasks created until a moment, oldest first, at most `limit`; returns how many. */
  readonly deleteEnded: (createdUntil: number, limit: number) => Effect.Effect<number>
}

/** Work that only the service itself requested: when it fails, the machine may differ from our record. */
const unrequested = (dialect: Dialect): string =>
  `t.kind = 'operation' AND t.actor <> 'api_key' AND (
  t.type IN ('terminate', 'suspend', 'expire')
  OR (t.type IN ('resize', 'iso_mount', 'iso_unmount') AND ${isTrueIn(dialect, "t.params", "undo")})
  OR (t.type = 'snapshot_delete' AND ${isTrueIn(dialect, "t.params", "keep")}))`

/** A task leaves the feed after a while, unless it is open, or may need to be reconciled. */
const deletable = (dialect: Dialect): string =>
  `t.status IN ('succeeded', 'failed', 'cancelled') AND NOT (t.status = 'failed' AND ${unrequested(dialect)})`

/** The state that the instance needs for the work to be of any use still. */
const WANTED = `CASE t.type
    WHEN 'terminate' THEN i.lifecycle IN ('failed', 'expired')
    WHEN 'suspend' THEN i.lifecycle = 'suspended'
    WHEN 'expire' THEN i.lifecycle = 'expired'
    ELSE i.lifecycle <> 'deleted'
  END`

/** A later task repeats it and decides how it ends; or the customer has changed the same thing since. */
const FOLLOWED = `EXISTS (SELECT 1 FROM tasks n
  WHERE n.instance_id = t.instance_id AND n.id > t.id AND n.kind = 'operation' AND n.status <> 'cancelled' AND (
    (n.type = t.type AND n.params = t.params)
    OR (n.status = 'succeeded' AND n.type = t.type AND t.type = 'resize')
    OR (n.status = 'succeeded' AND n.type LIKE 'iso_%' AND t.type LIKE 'iso_%')))`

const selecting = (dialect: Dialect): string =>
  `SELECT ${TASK.of("t")} FROM tasks t JOIN instances i ON i.id = t.instance_id
  WHERE t.status = 'failed' AND ${unrequested(dialect)} AND ${WANTED} AND NOT ${FOLLOWED}`

export const unreconciled = (sql: Sql["Service"]): Unreconciled => {
  const { dialect } = sql
  // The scheduler runs it at every pass, so it reads one row.
  const oldest = sql.one<[number]>("SELECT created_at FROM tasks ORDER BY id LIMIT 1")
  // In the order of their ids, which is the order of creation: no index is needed for it. The first task that is too
  // young ends the search; few older ones stay.
  const deleteEnded = sql.run(
    `DELETE FROM tasks WHERE id IN (SELECT t.id FROM tasks t WHERE ${deletable(dialect)} AND t.id < coalesce(
       (SELECT id FROM tasks WHERE created_at > ?1 ORDER BY id LIMIT 1), 9223372036854775807) ORDER BY t.id LIMIT ?2)`
  )
  const list = sql.all<Row>(`${selecting(dialect)} ORDER BY t.id DESC LIMIT ?`)
  const find = sql.one<Row>(`${selecting(dialect)} AND t.id = ?`)
  const abandon = sql.run("UPDATE tasks SET status = 'cancelled', error = ? WHERE id = ? AND status = 'failed'")
  return {
    unreconciled: (limit) => Rows.each(list(limit), TASK.decode),
    findUnreconciled: (id) => Rows.optional(find(id), TASK.decode),
    abandon: (id, reason) => Effect.asVoid(abandon(reason, id)),
    oldest: Rows.optionalValue(oldest()),
    deleteEnded: (createdUntil, limit) => deleteEnded(createdUntil, limit)
  }
}
