/** What goes wrong between the service and PostgreSQL, and what it means to whoever asked. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { StorageUnavailable } from "../../domain/Errors.ts"

/** PostgreSQL, or the way to it, said no; `cause` is what `pg` was rejected with. */
export class Failed extends Data.TaggedError("Failed")<{ readonly cause: unknown }> {}

/** A promise of `pg`'s. */
export const tryPg = <A>(ask: () => Promise<A>): Effect.Effect<A, Failed> =>
  Effect.tryPromise({ try: ask, catch: (cause) => new Failed({ cause }) })

const causeOf = (error: unknown): unknown => error instanceof Failed ? error.cause : error

/**
 * - `conflict`: others wrote at the same time; done again, it may well go through.
 * - `unavailable`: nobody can use the database now, or not for this; nothing is wrong with what was asked.
 * - `refused`: the database does not take the statement.
 */
export type Kind = "conflict" | "unavailable" | "refused"

/** 23505 among them: SQLite, where one writes after the other, would have shown the row to the one who came later. */
const CONFLICTS = new Set(["40001", "40P01", "23505"])

/**
 * Classes of SQLSTATE: connection, who may connect and to what, resources (disk, memory, connections), an operator's
 * intervention, system, and waits that took too long. 25006 is a server that only reads, 25P03 a transaction that was
 * idle for too long.
 */
const UNAVAILABLE = /^(08|28|3D|53|57|58|55P03|25006|25P03|F0|XX)/

const SQLSTATE = /^[0-9A-Z]{5}$/

/** The database's own code; undefined when it was not the database that spoke. */
export const sqlState = (failure: unknown): string | undefined => {
  const error = causeOf(failure)
  const code = error instanceof Error && "code" in error ? error.code : undefined
  // The system's codes (EPIPE) look alike, but `severity` is only the server's.
  return typeof code === "string" && SQLSTATE.test(code) && "severity" in (error as Error) ? code : undefined
}

export const kindOf = (error: unknown): Kind => {
  const code = sqlState(error)
  // No code: the connection broke, could not be made, or none was free in time.
  if (code === undefined) return "unavailable"
  if (CONFLICTS.has(code)) return "conflict"
  return UNAVAILABLE.test(code) ? "unavailable" : "refused"
}

/** Whether the connection is of no more use. */
export const isLost = (error: unknown): boolean => {
  const code = sqlState(error)
  return code === undefined || /^(08|57P|25P03)/.test(code)
}

/** What a client is told of a standby, and of a database that was told to take no more, as hosters do in time. */
export const READ_ONLY = "The database can only be read."

/**
 * What a client is told: never the database's own words, which may quote what was written. Those are for the log.
 */
export const unavailable = (error: unknown): StorageUnavailable => {
  const code = sqlState(error)
  const told = code === undefined || isLost(error)
    ? "The database does not answer."
    : code === "53100"
    ? "The disk of the database is full."
    : code === "25006"
    ? READ_ONLY
    : `The database cannot do this now (${code}).`
  return new StorageUnavailable({ message: told })
}

/** One line for the log, without the values that PostgreSQL puts into the details of an error. */
export const describe = (failure: unknown): string => {
  const error = causeOf(failure)
  const code = sqlState(error)
  const message = error instanceof Error && error.message !== "" ? error.message : String(error)
  return code === undefined ? message : `${code} ${message}`
}
