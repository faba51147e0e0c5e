/** Caches what every create reads and hardly anything changes, until a row of its tables changes. */
import * as Effect from "effect/Effect"
import type { DatabaseSync } from "node:sqlite"
import type { CacheTables } from "../Caches.ts"

const EVENTS = ["INSERT", "UPDATE", "DELETE"] as const

/**
 * The result of `read` until a row of the tables changes; undefined for the moment after a change. Exact: SQLite itself
 * reports every change, and the tables are read between transactions only, never what may yet be rolled back.
 */
export const cacheUntilChanged = <A>(
  connection: DatabaseSync,
  tables: ReadonlyArray<string>,
  read: () => A
): () => A | undefined => {
  let cached: A | undefined
  let isScheduled = false
  const fill = (): void => {
    isScheduled = false
    if (connection.isOpen && !connection.isTransaction) cached = read()
  }
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(fill)
  }
  const name = `invalidate_${tables.join("_")}`
  connection.function(name, () => {
    cached = undefined
    schedule()
    return null
  })
  for (const table of tables) {
    for (const event of EVENTS) {
      // Of this connection only, and so of this process only: it is the one that owns the file.
      connection.exec(
        `CREATE TEMP TRIGGER ${name}_${table}_${event} AFTER ${event} ON main.${table} BEGIN SELECT ${name}(); END`
      )
    }
  }
  fill()
  return () => {
    if (cached === undefined) schedule()
    return cached
  }
}

export const tableCache = (connection: DatabaseSync): CacheTables => (tables, read) =>
  Effect.sync(cacheUntilChanged(connection, tables, () => Effect.runSync(read)))
