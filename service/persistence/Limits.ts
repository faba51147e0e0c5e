/** The limits of the databases. */
import type { LimitTable } from "../config/Limit.ts"

export const PERSISTENCE_LIMITS = {
  DATABASE_CONNECTIONS: {
    fallback: 10,
    min: 2,
    max: 1_000,
    unit: "connections",
    reason: "To PostgreSQL at once, by this process; all replicas together stay below the server's max_connections."
  },
  DATABASE_CONNECT_MILLIS: {
    fallback: 5_000,
    unit: "milliseconds",
    reason: "Longest wait for a connection to PostgreSQL, new or free: then the caller hears 503, and may ask another."
  },
  DATABASE_STATEMENT_MILLIS: {
    fallback: 30_000,
    unit: "milliseconds",
    reason: "Longest statement on PostgreSQL, and longest pause within a transaction: a frozen replica blocks no other."
  },
  DATABASE_LOCK_MILLIS: {
    fallback: 10_000,
    unit: "milliseconds",
    reason: "Longest wait for others to finish what they write on PostgreSQL: then the caller hears 503."
  },
  DATABASE_TRIES: {
    fallback: 20,
    unit: "tries",
    reason:
      "Runs of a use case that meets others on PostgreSQL: from the second on it waits its turn, so few need three."
  },
  DATABASE_POLL_MILLIS: {
    fallback: 5_000,
    min: 100,
    unit: "milliseconds",
    reason: "How often a replica looks for work that it was not told of: who queued it was killed before it could tell."
  },
  DATABASE_CLOCK_MILLIS: {
    fallback: 60_000,
    min: 1_000,
    unit: "milliseconds",
    reason:
      "How often a replica asks PostgreSQL for the time, and whether it is heard: clocks drift some ms in a minute."
  },
  DATABASE_RETRY_AFTER_SECONDS: {
    fallback: 1,
    unit: "seconds",
    reason: "What a client is told to wait when the database cannot be used: a restart takes about this long."
  },
  CHECKPOINT_PAGES: {
    fallback: 4_000,
    max: 1_000_000,
    unit: "pages of 4 KiB",
    reason:
      "The write-ahead log is copied into the database file when it has grown by so much, 16 MB: less copies pages "
      + "that every write changes more often, more slows reads and the start after a crash. It loses nothing either way."
  },
  START_CHECK_BYTES: {
    fallback: 16 * 1024 * 1024,
    min: 0,
    unit: "bytes",
    reason: "A database file up to this size is checked page by page at start, which takes some 50 ms; a larger one at "
      + "both ends of each table and index, and whole by `vps-service admin verify`."
  },
  BACKUP_STEP_PAGES: {
    fallback: 100,
    max: 100_000,
    unit: "pages of 4 KiB",
    reason: "An online backup copies so much at a time and lets requests pass in between: about a millisecond's work."
  },
  DATABASE_BUSY_MILLIS: {
    fallback: 5_000,
    min: 0,
    unit: "milliseconds",
    reason: "How long to wait at start for a lock on the database file: a predecessor may be exiting."
  }
} satisfies LimitTable
