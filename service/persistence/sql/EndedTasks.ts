import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EndedTasks } from "../EndedTasks.ts"
import { type Dialect, Sql } from "../Sql.ts"
import { isTrueIn } from "./Dialects.ts"
import * as Rows from "./Rows.ts"
import { columnsOf, type Row, toTask } from "./TaskRow.ts"

/** Work that nobody but the service asked for: when it fails, the machine may not be as our record says. */
const unasked = (dialect: Dialect): string =>
  `t.kind = 'operation' AND t.actor <> 'api_key' AND (
  t.type IN ('terminate', 'suspend', 'expire')
  OR (t.type IN ('resize', 'iso_mount', 'iso_unmount') AND ${isTrueIn(dialect, "t.params", "undo")})
  OR (t.type = 'snapshot_delete' AND ${isTrueIn(dialect, "t.params", "keep")}))`

/** A task in a feed goes after a while, unless it is open, or may have left something to do. */
const forgettable = (dialect: Dialect): string =>
  `t.status IN ('succeeded', 'failed', 'cancelled') AND NOT (t.status = 'failed' AND ${unasked(dialect)})`

/** What the instance has to be for the work to be of any use still. */
const WANTED = `CASE t.type
    WHEN 'terminate' THEN i.lifecycle IN ('failed', 'expired')
    WHEN 'suspend' THEN i.lifecycle = 'suspended'
    WHEN 'expire' THEN i.lifecycle = 'expired'
    ELSE i.lifecycle <> 'deleted'
  END`

/** It was begun anew, and counts by how that ends; or the customer has had the same thing changed since. */
const FOLLOWED = `EXISTS (SELECT 1 FROM tasks n
  WHERE n.instance_id = t.instance_id AND n.id > t.id AND n.kind = 'operation' AND n.status <> 'cancelled' AND (
    (n.type = t.type AND n.params = t.params)
    OR (n.status = 'succeeded' AND n.type = t.type AND t.type = 'resize')
    OR (n.status = 'succeeded' AND n.type LIKE 'iso_%' AND t.type LIKE 'iso_%')))`

const left = (dialect: Dialect): string =>
  `SELECT ${columnsOf("t")} FROM tasks t JOIN instances i ON i.id = t.instance_id
  WHERE t.status = 'failed' AND ${unasked(dialect)} AND ${WANTED} AND NOT ${FOLLOWED}`

const make = Effect.map(Sql, (sql) => {
  const { dialect } = sql
  // Asked at every turn of the worker, so it reads one row.
  const oldest = sql.one<[number]>("SELECT created_at FROM tasks ORDER BY id LIMIT 1")
  // In the order of their ids, which is the order in which they were made: no index has to be kept for it. The first
  // task that is too young ends the search; what is older and stays is little.
  const forget = sql.run(
    `DELETE FROM tasks WHERE id IN (SELECT t.id FROM tasks t WHERE ${forgettable(dialect)} AND t.id < coalesce(
       (SELECT id FROM tasks WHERE created_at > ?1 ORDER BY id LIMIT 1), 9223372036854775807) ORDER BY t.id LIMIT ?2)`
  )
  const leftOver = sql.all<Row>(`${left(dialect)} ORDER BY t.id DESC LIMIT ?`)
  const findLeft = sql.one<Row>(`${left(dialect)} AND t.id = ?`)
  const giveUp = sql.run("UPDATE tasks SET status = 'cancelled', error = ? WHERE id = ? AND status = 'failed'")
  return EndedTasks.of({
    oldest: Rows.optionalValue(oldest()),
    forget: (madeUntil, limit) => forget(madeUntil, limit),
    left: (limit) => Rows.each(leftOver(limit), toTask),
    findLeft: (id) => Rows.optional(findLeft(id), toTask),
    giveUp: (id, reason) => Effect.asVoid(giveUp(reason, id))
  })
})

export const layer: Layer.Layer<EndedTasks, never, Sql> = Layer.effect(EndedTasks, make)
