/** Errors of PostgreSQL and of the connection to it, and their meaning for the caller. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { StorageUnavailable } from "../../domain/Errors.ts"

/** PostgreSQL or the connection to it failed; `cause` is the rejection of `pg`. */
export class Failed extends Data.TaggedError("Failed")<{ readonly cause: unknown }> {}

/** Awaits a promise of `pg`. */
export const tryPg = <A>(run: () => Promise<A>): Effect.Effect<A, Failed> =>
  Effect.tryPromise({ try: run, catch: (cause) => new Failed({ cause }) })

const causeOf = (error: unknown): unknown => error instanceof Failed ? error.cause : error

/**
 * - `conflict`: another transaction wrote at the same time; a retry may succeed.
 * - `unavailable`: the database cannot be used now, or not for this; the statement itself is valid.
 * - `refused`: the database does not accept the statement.
 */
export type Kind = "conflict" | "unavailable" | "refused"

/** 23505 among them: SQLite serializes writes, and would have shown the row to the second transaction. */
const CONFLICTS = new Set(["40001", "40P01", "23505"])

/**
 * Classes of SQLSTATE: connection, authorization, resources (disk, memory, connections), operator intervention, system,
 * and lock timeouts. 25006 is a read-only server, 25P03 a transaction that was idle for too long.
 */
const UNAVAILABLE = /^(08|28|3D|53|57|58|55P03|25006|25P03|F0|XX)/

const SQLSTATE = /^[0-9A-Z]{5}$/

/** The database's own code; undefined for other errors. */
export const sqlState = (failure: unknown): string | undefined => {
  const error = causeOf(failure)
  const code = error instanceof Error && "code" in error ? error.code : undefined
  // The system's codes (EPIPE) look alike, but `severity` is only the server's.
  return typeof code === "string" && SQLSTATE.test(code) && "severity" in (error as Error) ? code : undefined
}

export const kindOf = (error: unknown): Kind => {
  const code = sqlState(error)
  // No code: the connection broke, could not be opened, or none was free in time.
  if (code === undefined) return "unavailable"
  if (CONFLICTS.has(code)) return "conflict"
  return UNAVAILABLE.test(code) ? "unavailable" : "refused"
}

/** True if the connection can no longer be used. */
export const isLost = (error: unknown): boolean => {
  const code = sqlState(error)
  return code === undefined || /^(08|57P|25P03)/.test(code)
}

/** Of a standby, and of a session or a server that is set to only read. */
export const READ_ONLY_STATE = "25006"

/** The message for a standby, and for a database that a hosting provider has made read-only. */
export const READ_ONLY = "The database can only be read."

/** The error for a client, without the database's own message, which may quote stored values and goes to the log. */
export const unavailable = (error: unknown): StorageUnavailable => {
  const code = sqlState(error)
  const message = code === undefined || isLost(error)
    ? "The database does not answer."
    : code === "53100"
    ? "The disk of the database is full."
    : code === READ_ONLY_STATE
    ? READ_ONLY
    : `The database cannot do this now (${code}).`
  return new StorageUnavailable({ message })
}

/** One line for the log, without the values that PostgreSQL puts into the details of an error. */
export const describe = (failure: unknown): string => {
  const error = causeOf(failure)
  const code = sqlState(error)
  const message = error instanceof Error && error.message !== "" ? error.message : String(error)
  return code === undefined ? message : `${code} ${message}`
}
