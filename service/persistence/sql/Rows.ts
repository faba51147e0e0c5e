/** What most repositories do with what a statement answers. */
import * as Effect from "effect/Effect"

/** A row that may not be there. */
export const optional = <Row, A>(
  rows: Effect.Effect<Row | undefined>,
  map: (row: Row) => A
): Effect.Effect<A | undefined> => Effect.map(rows, (row) => row === undefined ? undefined : map(row))

export const each = <Row, A>(
  rows: Effect.Effect<ReadonlyArray<Row>>,
  map: (row: Row) => A
): Effect.Effect<ReadonlyArray<A>> => Effect.map(rows, (all) => all.map((row) => map(row)))

const first = <A>(row: readonly [A]): A => row[0]

/** The only column of rows. */
export const column = <A>(rows: Effect.Effect<ReadonlyArray<readonly [A]>>): Effect.Effect<ReadonlyArray<A>> =>
  each(rows, first)

/** The only column of a row that is always there, as an aggregate's is. */
export const value = <A>(row: Effect.Effect<readonly [A] | undefined>): Effect.Effect<A> =>
  Effect.map(row, (known) => known![0])

/** The only column of a row that may not be there, or may be null. */
export const optionalValue = <A>(row: Effect.Effect<readonly [A | null] | undefined>): Effect.Effect<A | undefined> =>
  Effect.map(row, (known) => known?.[0] ?? undefined)

const isOne = (changes: number): boolean => changes === 1

/** Whether the one row was there to be changed. */
export const changed = (changes: Effect.Effect<number>): Effect.Effect<boolean> => Effect.map(changes, isOne)
