/** The caches of a process that owns its database. Others cache nothing. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Caches the rendered answer of each instance until anything is written. All answers are of one type. */
export type CacheInstance = <A, E, R>(
  accountId: number,
  id: number,
  answer: Effect.Effect<A, E, R>
) => Effect.Effect<A, E, R>

/** Caches nothing unless the database provides it: on PostgreSQL replicas write as well. */
export class InstanceCache extends Context.Reference<CacheInstance>("@pulumi-vps/service/InstanceCache", {
  defaultValue: () => (_accountId, _id, answer) => answer
}) {}

/**
 * Caches the result of a read in memory until a row of its tables changes; undefined while nothing is cached: read the
 * tables then.
 */
export type CacheTables = <A>(tables: ReadonlyArray<string>, read: Effect.Effect<A>) => Effect.Effect<A | undefined>

/** Caches nothing unless the database provides it: on PostgreSQL replicas write as well. */
export class TableCache extends Context.Reference<CacheTables>("@pulumi-vps/service/TableCache", {
  defaultValue: () => () => Effect.succeed(undefined)
}) {}
