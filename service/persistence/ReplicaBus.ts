/** Publishes events between the replicas of the service, which share one PostgreSQL database. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** `tasks`: a task may be due. `keys`: an API key was revoked. */
export type ReplicaEvent = "tasks" | "keys"

/** A single process, as on a SQLite file, unless the database provides another one. */
export class ReplicaBus extends Context.Reference<{
  /** True if this process owns the database: leases that an earlier process left behind are then its own. */
  readonly ownsDatabase: boolean
  /** Completes once the event is sent. One that cannot be sent is dropped: replicas poll as well. */
  readonly publish: (event: ReplicaEvent) => Effect.Effect<void>
  /** Runs an action at every event of another replica, and whenever one may have been missed, until the scope ends. */
  readonly subscribe: (event: ReplicaEvent, act: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
  /** Longest wait between polls for work that another replica has left, in milliseconds. */
  readonly pollMillis: number
}>("@pulumi-vps/service/ReplicaBus", {
  defaultValue: () => ({
    ownsDatabase: true,
    publish: () => Effect.void,
    subscribe: () => Effect.void,
    pollMillis: Number.POSITIVE_INFINITY
  })
}) {}
