import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Caches the rendered answer of each instance until anything is written. All answers are of one type. */
export type CacheInstance = <A, E, R>(
  accountId: number,
  id: number,
  answer: Effect.Effect<A, E, R>
) => Effect.Effect<A, E, R>

/** Caches nothing unless the database provides it: on PostgreSQL replicas write as well. */
export class InstanceCache extends Context.Reference<CacheInstance>("pulumi-vps/service/InstanceCache", {
  defaultValue: () => (_accountId, _id, answer) => answer
}) {}
