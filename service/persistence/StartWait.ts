/** A start that waits for its database, because that refuses for now. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Says to the outside that the start waits, and why, until its scope is closed. Null for an operator's command and a
 * test, which fail at once instead.
 */
export const StartWait = Context.Reference<((reason: string) => Effect.Effect<void, never, Scope.Scope>) | null>(
  "@pulumi-vps/service/persistence/StartWait",
  { defaultValue: () => null }
)
