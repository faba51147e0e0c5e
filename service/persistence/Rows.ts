/** Conversions of query results that most repositories share. */
import * as Effect from "effect/Effect"

/** Maps a row that may be absent. */
export const optional = <Row, A>(
  rows: Effect.Effect<Row | undefined>,
  map: (row: Row) => A
): Effect.Effect<A | undefined> => Effect.map(rows, (row) => row === undefined ? undefined : map(row))

export const each = <Row, A>(
  rows: Effect.Effect<ReadonlyArray<Row>>,
  map: (row: Row) => A
): Effect.Effect<ReadonlyArray<A>> => Effect.map(rows, (all) => all.map((row) => map(row)))

const first = <A>(row: readonly [A]): A => row[0]

/** The only column of all rows. */
export const column = <A>(rows: Effect.Effect<ReadonlyArray<readonly [A]>>): Effect.Effect<ReadonlyArray<A>> =>
  each(rows, first)

/** The only column of a row that always exists, as an aggregate's does. */
export const value = <A>(row: Effect.Effect<readonly [A] | undefined>): Effect.Effect<A> =>
  Effect.map(row, (found) => found![0])

/** The only column of a row that may be absent, or null. */
export const optionalValue = <A>(row: Effect.Effect<readonly [A | null] | undefined>): Effect.Effect<A | undefined> =>
  Effect.map(row, (found) => found?.[0] ?? undefined)

/** True if a query found a row. */
export const exists = (row: Effect.Effect<unknown>): Effect.Effect<boolean> =>
  Effect.map(row, (found) => found !== undefined)
