/** Limits of PostgreSQL, part of the table in `service/Limits.ts`. */
import { limit } from "../Config.ts"

export const DATABASE_CONNECTIONS = limit("DATABASE_CONNECTIONS", 10, {
  min: 2,
  max: 1_000,
  unit: "connections",
  reason: "To PostgreSQL at once, by this process; all replicas together stay below the server's max_connections."
})

export const DATABASE_CONNECT_MILLIS = limit("DATABASE_CONNECT_MILLIS", 5_000, {
  unit: "milliseconds",
  reason: "Longest wait for a connection to PostgreSQL, new or free: then the caller hears 503, and may ask another."
})

export const DATABASE_STATEMENT_MILLIS = limit("DATABASE_STATEMENT_MILLIS", 30_000, {
  unit: "milliseconds",
  reason: "Longest statement on PostgreSQL, and longest pause within a transaction: a frozen replica blocks no other."
})

export const DATABASE_LOCK_MILLIS = limit("DATABASE_LOCK_MILLIS", 10_000, {
  unit: "milliseconds",
  reason: "Longest wait for others to finish what they write on PostgreSQL: then the caller hears 503."
})

export const DATABASE_TRIES = limit("DATABASE_TRIES", 20, {
  unit: "tries",
  reason: "Runs of a use case that meets others on PostgreSQL: from the second on it waits its turn, so few need three."
})

export const DATABASE_POLL_MILLIS = limit("DATABASE_POLL_MILLIS", 5_000, {
  min: 100,
  unit: "milliseconds",
  reason: "How often a replica looks for work that it was not told of: who queued it was killed before it could tell."
})

export const DUTY_CONCURRENCY = limit("DUTY_CONCURRENCY", 2, {
  max: 100,
  unit: "instances",
  reason: "Periods ended at once by one replica on PostgreSQL: more would leave requests no connection."
})

export const DATABASE_CLOCK_MILLIS = limit("DATABASE_CLOCK_MILLIS", 60_000, {
  min: 1_000,
  unit: "milliseconds",
  reason: "How often a replica compares its clock with PostgreSQL's: clocks of machines drift some ms in a minute."
})

export const DATABASE_RETRY_AFTER_SECONDS = limit("DATABASE_RETRY_AFTER_SECONDS", 1, {
  unit: "seconds",
  reason: "What a client is told to wait when the database cannot be used: a restart takes about this long."
})
