/** The services available to a rule of the persistence suite: every repository, transactions, and plain statements. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import type * as Repositories from "#service/persistence/Repositories"
import type { Sql } from "#service/persistence/Sql"
import { Transaction } from "#service/persistence/Transaction"

export type Stored = Layer.Success<typeof Repositories.layer> | Transaction | Sql

/** By the sentence that each proves. A rule starts on a database without a single row. */
export type Rules = Readonly<Record<string, Effect.Effect<unknown, unknown, Stored>>>

/** As use cases do it: everything is written, or nothing. */
export const write = <A, E, R>(useCase: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Transaction, ({ run }) => run(useCase))

/** The number of effects, started at the same time, with this outcome. */
export const countTogether = Effect.fnUntraced(function*<A, E, R>(
  useCases: ReadonlyArray<Effect.Effect<A, E, R>>,
  matches: (exit: Exit.Exit<A, unknown>) => boolean
) {
  const exits = yield* Effect.forEach(useCases, (useCase) => Effect.exit(write(useCase)), { concurrency: "unbounded" })
  return exits.filter(matches).length
})

/** A statement that the database does not take, or a use case that did not ask before. */
export const isRefused = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.map(Effect.exit(effect), Exit.isFailure)
