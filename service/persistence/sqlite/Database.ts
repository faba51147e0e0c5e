/** One connection to one SQLite file: opened once, owned by this process, closed with the scope. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chmodSync, closeSync, openSync } from "node:fs"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { DatabaseUnusable } from "../DatabaseUnusable.ts"
import { StorageUnavailable } from "../../domain/Errors.ts"
import { Limits, type LimitValues } from "../../config/Limits.ts"
import { Sql, type Value } from "../Sql.ts"
import { InstanceCache, TableCache } from "../Caches.ts"
import { checkKind, type DatabaseKind, storeKind } from "./DatabaseKind.ts"
import { sqlite } from "./Dialect.ts"
import { instanceCache, tableCache } from "./TableCache.ts"
import { migrate } from "./Migrate.ts"
import { checkIntegrity, explain, isUnreadable } from "./Verification.ts"

/**
 * The connection itself, for the write lane and for features of SQLite only; repositories use `Sql`. Rows come as
 * arrays: objects cost three times as much to create.
 */
export class Database extends Context.Service<Database, {
  readonly connection: DatabaseSync
  readonly one: <Row extends ReadonlyArray<unknown>>(sql: string) => (...values: Array<Value>) => Row | undefined
  readonly all: <Row extends ReadonlyArray<unknown>>(sql: string) => (...values: Array<Value>) => ReadonlyArray<Row>
}>()("@pulumi-vps/service/Database") {}

export interface DatabaseOptions {
  /** A file path, or `:memory:`. */
  readonly path: string
  /** Longest wait for another process's lock, in milliseconds. */
  readonly busyTimeoutMillis: number
  /** A commit waits for the disk (`full`, the default) or for the operating system only (`normal`). */
  readonly synchronous?: "full" | "normal"
  /** A database of the other kind is refused; a service's by default. */
  readonly kind?: DatabaseKind
}

const MEMORY = ":memory:"
const OWNER_ONLY = 0o600

/** SQLite creates the files beside the database with its mode, so the mode is set before they exist. */
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

/** An unreadable page is not the caller's fault: HTTP maps this defect to 503. */
const unreadable = (cause: unknown): unknown =>
  isUnreadable(cause)
    ? new StorageUnavailable({ message: `The database cannot be read: ${(cause as Error).message}.` })
    : cause

/**
 * Every statement is one synchronous step, because the write lane runs use cases to their end within one turn. It is
 * prepared at its first run: most are run rarely, and preparing all of them would delay the start.
 */
const sqlOn = (connection: DatabaseSync): Sql["Service"] => {
  const reading = (sql: string, read: (statement: StatementSync, values: Array<Value>) => unknown) => {
    let statement: StatementSync | undefined
    return (...values: Array<Value>): Effect.Effect<never> =>
      Effect.sync((): unknown => {
        try {
          return read(statement ??= arrays(connection, sql), values)
        } catch (cause) {
          throw unreadable(cause)
        }
      }) as Effect.Effect<never>
  }
  const writing = (sql: string) => {
    let statement: StatementSync | undefined
    return (values: Array<Value>) => (statement ??= connection.prepare(sql)).run(...values)
  }
  return {
    dialect: sqlite,
    one: (sql) => reading(sql, (statement, values) => statement.get(...values)),
    all: (sql) => reading(sql, (statement, values) => statement.all(...values)),
    run: (sql) => {
      const write = writing(sql)
      return (...values) => Effect.sync(() => write(values).changes as number)
    },
    post: (sql) => {
      const write = writing(sql)
      return (...values) => Effect.sync(() => void write(values))
    },
    insert: (sql) => {
      const write = writing(sql)
      return (...values) =>
        Effect.sync(() => {
          const { changes, lastInsertRowid } = write(values)
          return changes === 0 ? 0 : lastInsertRowid as number
        })
    }
  }
}

/** The services on an open connection; the simulator passes one on which statements fail. */
export const over = (connection: DatabaseSync): Context.Context<Database | Sql> =>
  Context.make(Database, statementsOn(connection)).pipe(
    Context.add(Sql, sqlOn(connection)),
    Context.add(TableCache, tableCache(connection)),
    Context.add(InstanceCache, instanceCache(connection))
  )

const make = Effect.fnUntraced(function*(options: DatabaseOptions) {
  const { kind = "service", path } = options
  const connection = yield* acquire(options, yield* Limits)
  yield* Effect.try({
    try: () => {
      checkKind(connection, kind)
      migrate(connection)
      storeKind(connection, kind)
    },
    catch: (cause) => new DatabaseUnusable({ message: explain(path, cause) })
  })
  return over(connection)
})

/** Opens and migrates the database; `DatabaseUnusable` when it is locked, of the other kind, too new, or broken. */
export const layer = (options: DatabaseOptions): Layer.Layer<Database | Sql, DatabaseUnusable, Limits> =>
  Layer.effectContext(make(options))
