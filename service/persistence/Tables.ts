/** All tables at once, for the emulator's reset and its saved states. */
import type * as Effect from "effect/Effect"

/** Tables that a reset keeps, as SQL: saved states, and what keeps a person signed in while the emulator is reset. */
export const UNTOUCHED = "'emulator_states', 'sessions', 'sign_in_links', 'challenges', 'console_tickets'"

export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
}

/** The last id that a table has assigned. */
export type Sequence = readonly [table: string, last: number]

export interface Tables {
  /** The tables with the service's own data, each after those that its rows refer to. */
  readonly list: Effect.Effect<ReadonlyArray<Table>>
  /** Empties all of them; ids start again at 1. Part of a transaction, at whose end references are checked. */
  readonly empty: Effect.Effect<void>
  /** Of the tables that have assigned an id. */
  readonly sequences: Effect.Effect<ReadonlyArray<Sequence>>
  /** Continues after these; the tables were emptied, and may have rows again. Part of the same transaction. */
  readonly setSequences: (sequences: ReadonlyArray<Sequence>) => Effect.Effect<void>
}
