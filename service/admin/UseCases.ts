/** The types of the use cases of operator commands. Each file of `commands` has a table of its own. */
import type * as Effect from "effect/Effect"
import type { CommandName, InputOf, ResultOf } from "../contract/operator/Commands.ts"
import type { StorageUnavailable } from "../domain/Errors.ts"
import type { CommandRejected } from "./CommandRejected.ts"

export type Failure = CommandRejected | StorageUnavailable

/** The services that a use case needs are inferred. */
export type UseCases = {
  readonly [Name in CommandName]?: (input: InputOf<Name>) => Effect.Effect<ResultOf<Name>, Failure, unknown>
}
