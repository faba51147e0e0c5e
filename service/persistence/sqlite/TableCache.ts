/**
 * Caches what every create reads and hardly anything changes, until a row of its tables changes, and the answer for an
 * instance, which is read far more often than anything is written.
 */
import * as Effect from "effect/Effect"
import type { DatabaseSync } from "node:sqlite"
import type { CacheInstance, CacheTables } from "../Caches.ts"

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

/** Instances cached at once: some 4 megabytes of rendered answers. */
const CACHED_MAX = 2_048

interface Cached {
  /** The number of rows that this connection had changed when the instance was read. */
  readonly changes: number
  readonly accountId: number
  readonly answer: unknown
}

/**
 * Exact, because SQLite itself counts the changed rows of all tables. Nothing is cached within a transaction, which may
 * yet be rolled back.
 */
export const instanceCache = (connection: DatabaseSync): CacheInstance => {
  const cache = new Map<number, Cached>()
  const statement = connection.prepare("SELECT total_changes()")
  statement.setReturnArrays(true)
  const totalChanges = () => (statement.get() as unknown as [number])[0]
  const add = (id: number, entry: Cached): void => {
    if (cache.size >= CACHED_MAX) cache.clear()
    cache.set(id, entry)
  }
  return <A, E, R>(accountId: number, id: number, answer: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      if (connection.isTransaction) return answer
      const changes = totalChanges()
      const cached = cache.get(id)
      if (cached?.changes === changes && cached.accountId === accountId) return Effect.succeed(cached.answer as A)
      return Effect.map(answer, (value) => {
        add(id, { changes, accountId, answer: value })
        return value
      })
    })
}
