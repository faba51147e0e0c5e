/** The limits of the databases. */
import type { LimitTable } from "../Limit.ts"

export const PERSISTENCE_LIMITS = {
  DATABASE_CONNECTIONS: {
    fallback: 10,
    min: 2,
    max: 1_000,
    unit: "connections",
    reason:
      "PostgreSQL connections of this process. All replicas together must stay below the server's max_connections."
  },
  DATABASE_CONNECT_MILLIS: {
    fallback: 5_000,
    unit: "milliseconds",
    reason: "Maximum wait for a PostgreSQL connection, new or pooled, before the caller gets a 503."
  },
  DATABASE_STATEMENT_MILLIS: {
    fallback: 30_000,
    unit: "milliseconds",
    reason:
      "Maximum duration of a PostgreSQL statement or a pause in a transaction: a hung replica must not block others."
  },
  DATABASE_LOCK_MILLIS: {
    fallback: 10_000,
    unit: "milliseconds",
    reason: "Maximum wait for a PostgreSQL lock held by another transaction before the caller gets a 503."
  },
  DATABASE_TRIES: {
    fallback: 20,
    unit: "attempts",
    reason:
      "Attempts of a transaction that conflicts with others on PostgreSQL. Retries are serialized, so few need three."
  },
  DATABASE_POLL_MILLIS: {
    fallback: 5_000,
    min: 100,
    unit: "milliseconds",
    reason:
      "How often a replica polls for tasks, in case the replica that queued one was killed before it could notify."
  },
  DATABASE_CLOCK_MILLIS: {
    fallback: 60_000,
    min: 1_000,
    unit: "milliseconds",
    reason: "How often a replica reads PostgreSQL's clock and checks its LISTEN session: clocks drift some ms a minute."
  },
  DATABASE_RETRY_AFTER_SECONDS: {
    fallback: 1,
    unit: "seconds",
    reason: "Retry-After of a 503 when the database cannot be used: a restart takes about this long."
  },
  CHECKPOINT_PAGES: {
    fallback: 4_000,
    max: 1_000_000,
    unit: "pages of 4 KiB",
    reason: "SQLite copies the write-ahead log into the database file at this size (16 MB). A lower value "
      + "copies frequently changed pages more often; a higher one slows reads and crash recovery. No data is lost."
  },
  START_CHECK_BYTES: {
    fallback: 16 * 1024 * 1024,
    min: 0,
    unit: "bytes",
    reason:
      "A database file up to this size is checked page by page at start, which takes about 50 ms. A larger one is "
      + "checked at both ends of each table and index, and completely by `vps-service admin verify`."
  },
  BACKUP_STEP_PAGES: {
    fallback: 100,
    max: 100_000,
    unit: "pages of 4 KiB",
    reason:
      "An online backup copies this many pages at a time, about a millisecond of work, and serves requests in between."
  },
  DATABASE_BUSY_MILLIS: {
    fallback: 5_000,
    min: 0,
    unit: "milliseconds",
    reason: "Maximum wait at start for a lock on the database file: the previous process may still be exiting."
  }
} satisfies LimitTable
