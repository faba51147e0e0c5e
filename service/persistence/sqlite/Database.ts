/** One connection to one SQLite file: opened once, owned by this process, closed with the scope. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chmodSync, closeSync, openSync } from "node:fs"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { StorageUnavailable } from "../../domain/Errors.ts"
import { Limits, type LimitValues } from "../../config/Limits.ts"
import { DatabaseUnusable } from "../DatabaseUnusable.ts"
import { Sql, type Value } from "../Sql.ts"
import { sqlite } from "./Dialect.ts"
import { rememberWhileUnwritten } from "./InstanceCache.ts"
import { keepUntilChanged } from "./Kept.ts"
import { migrate } from "./Migrate.ts"
import { checkIntegrity, explain, isUnreadable } from "./IntegrityCheck.ts"

/**
 * The connection itself, for the write lane and for what only SQLite can; repositories speak `Sql`. Rows come as
 * arrays: objects cost three times as much to make.
 */
export class Database extends Context.Service<Database, {
  readonly connection: DatabaseSync
  readonly one: <Row extends ReadonlyArray<unknown>>(sql: string) => (...values: Array<Value>) => Row | undefined
  readonly all: <Row extends ReadonlyArray<unknown>>(sql: string) => (...values: Array<Value>) => ReadonlyArray<Row>
}>()("pulumi-vps/service/Database") {}

export interface DatabaseOptions {
  /** A file path, or `:memory:`. */
  readonly path: string
  /** How long to wait for another process's lock, in milliseconds. */
  readonly busyTimeoutMillis: number
  /** What a commit waits for: `full` (unless given) for the disk, `normal` for the operating system only. */
  readonly synchronous?: "full" | "normal"
}

const MEMORY = ":memory:"
const OWNER_ONLY = 0o600

/** SQLite gives the files beside the database its mode, so it has to have it before they are made. */
const claim = (path: string): void => {
  closeSync(openSync(path, "a", OWNER_ONLY))
  chmodSync(path, OWNER_ONLY)
}

const open = (options: DatabaseOptions, { CHECKPOINT_PAGES, START_CHECK_BYTES }: LimitValues): DatabaseSync => {
  if (options.path !== MEMORY) claim(options.path)
  const connection = new DatabaseSync(options.path, {
    timeout: options.busyTimeoutMillis,
    enableForeignKeyConstraints: true
  })
  try {
    // Before the first access in WAL mode: it saves the lock system calls of every read and keeps others out.
    connection.exec("PRAGMA locking_mode = EXCLUSIVE")
    connection.exec("PRAGMA journal_mode = WAL")
    connection.exec(`PRAGMA synchronous = ${options.synchronous ?? "full"}`)
    connection.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    connection.exec("BEGIN EXCLUSIVE; COMMIT")
    if (options.path !== MEMORY) checkIntegrity(connection, options.path, START_CHECK_BYTES)
    return connection
  } catch (cause) {
    connection.close()
    throw cause
  }
}

const acquire = (options: DatabaseOptions, limits: LimitValues) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => open(options, limits),
      catch: (cause) => new DatabaseUnusable({ message: explain(options.path, cause) })
    }),
    (connection) => Effect.sync(() => connection.close())
  )

const arrays = (connection: DatabaseSync, sql: string) => {
  const statement = connection.prepare(sql)
  statement.setReturnArrays(true)
  return statement
}

const statementsOn = (connection: DatabaseSync): Database["Service"] => ({
  connection,
  one: <Row extends ReadonlyArray<unknown>>(sql: string) => {
    const statement = arrays(connection, sql)
    return (...values: Array<SQLInputValue>) => statement.get(...values) as unknown as Row | undefined
  },
  all: <Row extends ReadonlyArray<unknown>>(sql: string) => {
    const statement = arrays(connection, sql)
    return (...values: Array<SQLInputValue>) => statement.all(...values) as unknown as ReadonlyArray<Row>
  }
})

/** A page that cannot be read is no fault of whoever asked for it: HTTP knows this defect, and answers 503. */
const unreadable = (cause: unknown): unknown =>
  isUnreadable(cause)
    ? new StorageUnavailable({ message: `The database cannot be read: ${(cause as Error).message}.` })
    : cause

/**
 * Every statement is one synchronous step, because the write lane runs use cases to their end within one turn. It is
 * prepared when it is first run: most are seldom run, and preparing all of them would delay the start.
 */
const speak = (database: Database["Service"]): Sql["Service"] => {
  const { connection } = database
  return {
    dialect: sqlite,
    one: <Row extends ReadonlyArray<unknown>>(sql: string) => {
      let statement: StatementSync | undefined
      return (...values: Array<Value>) =>
        Effect.sync(() => {
          try {
            return (statement ??= arrays(connection, sql)).get(...values) as unknown as Row | undefined
          } catch (cause) {
            throw unreadable(cause)
          }
        })
    },
    all: <Row extends ReadonlyArray<unknown>>(sql: string) => {
      let statement: StatementSync | undefined
      return (...values: Array<Value>) =>
        Effect.sync(() => {
          try {
            return (statement ??= arrays(connection, sql)).all(...values) as unknown as ReadonlyArray<Row>
          } catch (cause) {
            throw unreadable(cause)
          }
        })
    },
    run: (sql) => {
      let statement: StatementSync | undefined
      return (...values) => Effect.sync(() => (statement ??= connection.prepare(sql)).run(...values).changes as number)
    },
    insert: (sql) => {
      let statement: StatementSync | undefined
      return (...values) =>
        Effect.sync(() => {
          const { changes, lastInsertRowid } = (statement ??= connection.prepare(sql)).run(...values)
          return changes === 0 ? 0 : lastInsertRowid as number
        })
    },
    kept: (tables, read) => Effect.sync(keepUntilChanged(database, tables, () => Effect.runSync(read))),
    remembered: (read) => rememberWhileUnwritten(database, read)
  }
}

/** What stands on an open connection; the simulator puts one there on which statements fail. */
export const over = (connection: DatabaseSync): Context.Context<Database | Sql> => {
  const database = statementsOn(connection)
  return Context.make(Database, database).pipe(Context.add(Sql, speak(database)))
}

const make = Effect.fnUntraced(function*(options: DatabaseOptions) {
  const connection = yield* acquire(options, yield* Limits)
  yield* Effect.try({
    try: () => migrate(connection),
    catch: (cause) => new DatabaseUnusable({ message: explain(options.path, cause) })
  })
  return over(connection)
})

/** Opens and migrates the database; `DatabaseUnusable` when it is locked, newer than this program, or broken. */
export const layer = (options: DatabaseOptions): Layer.Layer<Database | Sql, DatabaseUnusable, Limits> =>
  Layer.effectContext(make(options))
