/**
 * The types of the use cases of operator commands; each file of `commands` has a table of its own. Facts that only a
 * command itself knows, like the id of what it creates, are for its entry in the audit log.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { CommandName, InputOf, ResultOf } from "../contract/operator/Commands.ts"
import type { Actor } from "../domain/AuditEntry.ts"
import type { StorageUnavailable } from "../domain/Errors.ts"
import type { CommandRejected } from "./Input.ts"

export type Failure = CommandRejected | StorageUnavailable

/** The services that a use case needs are inferred. */
export type UseCases = {
  readonly [Name in CommandName]?: (input: InputOf<Name>) => Effect.Effect<ResultOf<Name>, Failure, unknown>
}

/** By their names in the entry; `account_id` and `instance_id` can be searched for. */
export type Facts = Readonly<Record<string, unknown>>

/** The author of the command that is executing. */
export class CurrentActor extends Context.Reference<Actor>("@pulumi-vps/service/CurrentActor", {
  defaultValue: () => ({ kind: "service", personId: null, name: "service", from: "", requestId: null })
}) {}

/** Completes when the caller of the command that is executing has left; never for a caller that may leave. */
export class CallerLeft extends Context.Reference<Effect.Effect<void>>("@pulumi-vps/service/CallerLeft", {
  defaultValue: () => Effect.never
}) {}

class FactsCollector extends Context.Reference<(facts: Facts) => void>("@pulumi-vps/service/FactsCollector", {
  defaultValue: () => () => undefined
}) {}

/** Adds facts to the entry of the command that is executing; called within its first transaction. */
export const addFacts = (facts: Facts): Effect.Effect<void> =>
  Effect.flatMap(FactsCollector, (collect) => Effect.sync(() => collect(facts)))

/** Passes on the facts that an effect adds. */
export const collectFacts = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  collect: (facts: Facts) => void
): Effect.Effect<A, E, R> => Effect.provideService(effect, FactsCollector, collect)
