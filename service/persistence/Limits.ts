/** Limits of the databases, part of the table in `service/config/Limits.ts`. */
import { limit } from "../config/Config.ts"

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
  reason: "How often a replica asks PostgreSQL for the time, and whether it is heard: clocks drift some ms in a minute."
})

export const DATABASE_RETRY_AFTER_SECONDS = limit("DATABASE_RETRY_AFTER_SECONDS", 1, {
  unit: "seconds",
  reason: "What a client is told to wait when the database cannot be used: a restart takes about this long."
})

export const CHECKPOINT_PAGES = limit("CHECKPOINT_PAGES", 4_000, {
  max: 1_000_000,
  unit: "pages of 4 KiB",
  reason: "The write-ahead log is copied into the database file when it has grown by so much, 16 MB: less copies pages "
    + "that every write changes more often, more slows reads and the start after a crash. It loses nothing either way."
})

export const START_CHECK_BYTES = limit("START_CHECK_BYTES", 16 * 1024 * 1024, {
  min: 0,
  unit: "bytes",
  reason: "A database file up to this size is checked page by page at start, which takes some 50 ms; a larger one at "
    + "both ends of each table and index, and whole by `vps-service admin verify`."
})

export const BACKUP_STEP_PAGES = limit("BACKUP_STEP_PAGES", 100, {
  max: 100_000,
  unit: "pages of 4 KiB",
  reason: "An online backup copies so much at a time and lets requests pass in between: about a millisecond's work."
})
