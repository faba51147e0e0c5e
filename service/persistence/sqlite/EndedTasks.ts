import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EndedTasks } from "../EndedTasks.ts"
import { Database } from "./Database.ts"
import * as Tasks from "./Tasks.ts"

/** Work that nobody but the service asked for: when it fails, the machine may not be as our record says. */
const UNASKED = `t.kind = 'operation' AND t.actor <> 'api_key' AND (
  t.type IN ('terminate', 'suspend', 'expire')
  OR (t.type IN ('resize', 'iso_mount', 'iso_unmount') AND json_extract(t.params, '$.undo'))
  OR (t.type = 'snapshot_delete' AND json_extract(t.params, '$.keep')))`

/** A task in a feed goes after a while, unless it is open, or may have left something to do. */
const FORGETTABLE = `t.status IN ('succeeded', 'failed', 'cancelled') AND NOT (t.status = 'failed' AND ${UNASKED})`

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

const LEFT = `FROM tasks t JOIN instances i ON i.id = t.instance_id
  WHERE t.status = 'failed' AND ${UNASKED} AND ${WANTED} AND NOT ${FOLLOWED}`

const COLUMNS = Tasks.COLUMNS.split(",").map((column) => `t.${column.trim()}`).join(", ")

const make = Effect.map(Database, (db) => {
  // Asked at every turn of the worker, so it reads one row.
  const oldest = db.one<[number]>("SELECT created_at FROM tasks ORDER BY id LIMIT 1")
  // In the order of their ids, which is the order in which they were made: no index has to be kept for it. The first
  // task that is too young ends the search; what is older and stays is little.
  const forget = db.run(
    `DELETE FROM tasks WHERE id IN (SELECT t.id FROM tasks t WHERE ${FORGETTABLE} AND t.id < coalesce(
       (SELECT id FROM tasks WHERE created_at > ?1 ORDER BY id LIMIT 1), 9223372036854775807) ORDER BY t.id LIMIT ?2)`
  )
  return EndedTasks.of({
    oldest: Effect.sync(() => oldest()?.[0]),
    forget: (madeUntil, limit) => Effect.sync(() => forget(madeUntil, limit).changes),
    // Prepared when they are used, which is seldom.
    left: (limit) =>
      Effect.sync(() =>
        db.all<Tasks.Row>(`SELECT ${COLUMNS} ${LEFT} ORDER BY t.id DESC LIMIT ?`)(limit).map(Tasks.toTask)
      ),
    findLeft: (id) =>
      Effect.sync(() => {
        const row = db.one<Tasks.Row>(`SELECT ${COLUMNS} ${LEFT} AND t.id = ?`)(id)
        return row === undefined ? undefined : Tasks.toTask(row)
      }),
    giveUp: (id, reason) =>
      Effect.sync(() =>
        void db.run("UPDATE tasks SET status = 'cancelled', error = ? WHERE id = ? AND status = 'failed'")(reason, id)
      )
  })
})

export const layer: Layer.Layer<EndedTasks, never, Database> = Layer.effect(EndedTasks, make)
