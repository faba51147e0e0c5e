/**
 * The database under the tests of use cases: SQLite in memory, each use a database of its own. In the projects of
 * PostgreSQL, `onPostgres.ts` replaces it: there, the same files prove the other database.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Repositories from "#service/persistence/Repositories"
import type * as Scope from "effect/Scope"
import { Sql } from "#service/persistence/Sql"
import * as Sqlite from "#service/persistence/sqlite/Database"
import * as WriteLane from "#service/persistence/sqlite/WriteLane"
import { limitsLayer } from "./limits.ts"

const MEMORY = ":memory:"

const onSqlite = (path: string) =>
  Layer.merge(Repositories.layer, WriteLane.layer).pipe(
    Layer.provideMerge(Sqlite.layer({ path, busyTimeoutMillis: 0 })),
    Layer.provideMerge(limitsLayer()),
    Layer.orDie,
    Layer.fresh
  )

type OnSqlite = ReturnType<typeof onSqlite>

interface Other {
  readonly layer: () => Layer.Layer<Exclude<Layer.Success<OnSqlite>, Sqlite.Database>>
  /** The address of a database of its own, which nothing uses after the scope. */
  readonly url: Effect.Effect<string, never, Scope.Scope>
  /** Undefined if no statement waits for its answer. */
  readonly answered: () => Promise<void> | undefined
}

let other: Other | undefined

/** Called by the setup of a project whose tests run on another database. */
export const setDatabase = (database: Other): void => {
  other = database
}

/**
 * All repositories, `Transaction` and `Sql` on a database of its own, or on the SQLite file of a path. A test that uses
 * `Database` fails on PostgreSQL, which has none.
 */
export const databaseLayer = (path?: string): OnSqlite =>
  Layer.suspend(() => path === undefined && other !== undefined ? other.layer() as OnSqlite : onSqlite(path ?? MEMORY))

/** Where a whole service of a test has its data: undefined in memory. */
export const databaseUrl: Effect.Effect<string | undefined, never, Scope.Scope> = Effect.suspend(() =>
  other === undefined ? Effect.succeed(undefined) : other.url
)

/** Undefined if every statement is answered, as on SQLite, where each is one synchronous step. */
export const databaseAnswered = (): Promise<void> | undefined => other?.answered()

/** Changes rows behind the back of the use cases, by statements that end in semicolons. */
export const execute = (statements: string) =>
  Effect.flatMap(
    Sql,
    ({ run }) =>
      Effect.forEach(statements.split(";").filter((text) => text.trim() !== ""), (text) => run(text)(), {
        discard: true
      })
  )

/** Reads rows behind the back of the use cases. */
export const rows = <Row extends ReadonlyArray<unknown>>(query: string) =>
  Effect.flatMap(Sql, ({ all }) => all<Row>(query)())
