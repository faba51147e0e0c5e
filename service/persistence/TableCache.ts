import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * Caches the result of a read in memory until a row of its tables changes; undefined while nothing is cached: read the
 * tables then.
 */
export type CacheTables = <A>(tables: ReadonlyArray<string>, read: Effect.Effect<A>) => Effect.Effect<A | undefined>

/** Caches nothing unless the database provides it: on PostgreSQL replicas write as well. */
export class TableCache extends Context.Reference<CacheTables>("pulumi-vps/service/TableCache", {
  defaultValue: () => () => Effect.succeed(undefined)
}) {}
