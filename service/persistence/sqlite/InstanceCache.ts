/** An instance is read far more often than anything is written, so its answer is cached between two writes. */
import * as Effect from "effect/Effect"
import type { DatabaseSync } from "node:sqlite"
import type { CacheInstance } from "../Caches.ts"

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
