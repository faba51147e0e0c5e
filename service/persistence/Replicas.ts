/** Other processes of the service on the same database: what one of them does that the others should know at once. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** `tasks`: one may be due. `keys`: one was taken back. */
export type News = "tasks" | "keys"

/** Alone, as on a SQLite file, unless the database says otherwise. */
export class Replicas extends Context.Reference<{
  /** Whether this process owns the database: what another one has left behind is then its own. */
  readonly isAlone: boolean
  /** Tells the others; ends when that is done, or cannot be done now: then they find out by themselves. */
  readonly tell: (news: News) => Effect.Effect<void>
  /** Does something whenever another one tells, and whenever that may have been missed, until the scope ends. */
  readonly hear: (news: News, act: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
  /** How long to wait at most before looking what others have left to do, in milliseconds. */
  readonly patience: number
}>("pulumi-vps/service/Replicas", {
  defaultValue: () => ({
    isAlone: true,
    tell: () => Effect.void,
    hear: () => Effect.void,
    patience: Number.POSITIVE_INFINITY
  })
}) {}
