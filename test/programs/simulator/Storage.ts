/**
 * One database for all processes, now and later: a kill loses none of what was committed. Each process sees it through
 * a view of its own, in which the database can be locked, full or broken.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import * as Database from "#service/persistence/sqlite/Database"
import type { Sql } from "#service/persistence/Sql"
import type { SimulatedProcess } from "./Timers.ts"
import type { VirtualScheduler } from "./VirtualScheduler.ts"
import type { FaultRates } from "./FaultRates.ts"
import { limitsLayer } from "../../support/limits.ts"

type Service = Database.Database["Service"]

/** As node:sqlite throws them. */
class SqliteError extends Error {
  readonly code = "ERR_SQLITE_ERROR"
  readonly errcode: number
  constructor(message: string, errcode: number) {
    super(message)
    this.errcode = errcode
  }
}

const BUSY = 5
const IO_ERROR = 10
const FULL = 13

/** A fresh database in memory; it ends with the scope. */
export const open = (scope: Scope.Scope): Service =>
  Context.get(
    Effect.runSync(
      Effect.orDie(Layer.buildWithScope(
        Layer.provide(Database.layer({ path: ":memory:", busyTimeoutMillis: 0 }), limitsLayer()),
        scope
      ))
    ),
    Database.Database
  )

const WRITES = /^\s*(INSERT|UPDATE|DELETE)/i

/** A member of a native object, which works on that object only. */
const bound = <A extends object>(target: A, name: string | symbol): unknown => {
  const value: unknown = Reflect.get(target, name, target)
  return typeof value === "function" ? value.bind(target) : value
}

type Listener = () => null

export class Store {
  readonly database: Service
  readonly #scheduler: VirtualScheduler
  readonly #rates: () => FaultRates
  /** The caches of rows, in each process. */
  readonly #listeners = new Map<string, Map<SimulatedProcess, Listener>>()

  /** The database does not fail for these. */
  readonly sound = new WeakSet<SimulatedProcess>()

  constructor(scheduler: VirtualScheduler, database: Service, rates: () => FaultRates) {
    this.#scheduler = scheduler
    this.database = database
    this.#rates = rates
  }

  #strikes(proc: SimulatedProcess, share: number): boolean {
    return share > 0 && !this.sound.has(proc) && this.#scheduler.random.chance(share)
  }

  #begin(proc: SimulatedProcess, statement: StatementSync) {
    return () => {
      if (this.#strikes(proc, this.#rates().database.busy)) {
        this.#scheduler.note("database: locked")
        throw new SqliteError("database is locked", BUSY)
      }
      return statement.run()
    }
  }

  #write(proc: SimulatedProcess, statement: StatementSync): StatementSync {
    const guarded = <A extends ReadonlyArray<SQLInputValue>, B>(write: (...values: A) => B) => (...values: A): B => {
      if (this.#strikes(proc, this.#rates().database.statement)) {
        this.#scheduler.note("database: a statement failed")
        throw new SqliteError("disk I/O error", IO_ERROR)
      }
      return write(...values)
    }
    const run = guarded((...values: ReadonlyArray<SQLInputValue>) => statement.run(...values))
    return new Proxy(statement, { get: (target, name) => name === "run" ? run : bound(target, name) })
  }

  #commit(proc: SimulatedProcess, statement: StatementSync) {
    return () => {
      if (!this.#strikes(proc, this.#rates().database.commit)) return statement.run()
      // A full disk leaves the transaction open, some I/O errors end it.
      const ended = this.#scheduler.random.chance(0.5)
      if (ended) this.database.connection.exec("ROLLBACK")
      this.#scheduler.note(`database: COMMIT failed${ended ? ", rolled back" : ""}`)
      throw ended ? new SqliteError("disk I/O error", IO_ERROR) : new SqliteError("database or disk is full", FULL)
    }
  }

  /** One listener of SQLite's for all processes that listen. */
  #listen(proc: SimulatedProcess, name: string, listener: Listener): void {
    const known = this.#listeners.get(name)
    if (known !== undefined) return void known.set(proc, listener)
    const all = new Map([[proc, listener]])
    this.#listeners.set(name, all)
    this.database.connection.function(name, () => {
      for (const [listening, tell] of all) {
        if (listening.alive) this.#as(listening, tell)
        else all.delete(listening)
      }
      return null
    })
  }

  #as(proc: SimulatedProcess, tell: Listener): void {
    const before = this.#scheduler.current
    this.#scheduler.current = proc
    tell()
    this.#scheduler.current = before
  }

  #connection(proc: SimulatedProcess): DatabaseSync {
    const { connection } = this.database
    const faulty: Record<string, unknown> = {
      prepare: (sql: string) => {
        const statement = connection.prepare(sql)
        if (sql === "BEGIN IMMEDIATE") return { run: this.#begin(proc, statement) }
        if (sql === "COMMIT") return { run: this.#commit(proc, statement) }
        return WRITES.test(sql) ? this.#write(proc, statement) : statement
      },
      function: (name: string, listener: Listener) => this.#listen(proc, name, listener),
      // A trigger of an earlier process on this connection does for this one, too.
      exec: (sql: string) => connection.exec(sql.replace("CREATE TEMP TRIGGER", "CREATE TEMP TRIGGER IF NOT EXISTS"))
    }
    return new Proxy(connection, {
      get: (target, name) => {
        if (typeof name === "string" && name in faulty) return faulty[name]
        return bound(target, name)
      }
    })
  }

  /** The database as one process sees it. */
  view(proc: SimulatedProcess): Layer.Layer<Database.Database | Sql> {
    return Layer.effectContext(Effect.sync(() => Database.over(this.#connection(proc))))
  }
}
