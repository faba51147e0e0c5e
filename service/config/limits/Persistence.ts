/** The limits of the databases. */
import { limit, millis } from "../Limit.ts"

export const PERSISTENCE_LIMITS = {
  DATABASE_CONNECTIONS: limit(
    10,
    "connections",
    "PostgreSQL connections of this process. All replicas together must stay below the server's max_connections.",
    { min: 2, max: 1_000 }
  ),
  DATABASE_CONNECT_MILLIS: millis(
    5_000,
    "Maximum wait for a PostgreSQL connection, new or pooled, before the caller gets a 503."
  ),
  DATABASE_STATEMENT_MILLIS: millis(
    30_000,
    "Maximum duration of a PostgreSQL statement or a pause in a transaction: a hung replica must not block others."
  ),
  DATABASE_LOCK_MILLIS: millis(
    10_000,
    "Maximum wait for a PostgreSQL lock held by another transaction before the caller gets a 503."
  ),
  DATABASE_TRIES: limit(
    20,
    "attempts",
    "Attempts of a transaction that conflicts with others on PostgreSQL. Retries are serialized, so few need three."
  ),
  DATABASE_POLL_MILLIS: millis(
    5_000,
    "How often a replica polls for tasks, in case the replica that queued one was killed before it could notify.",
    { min: 100 }
  ),
  COMMIT_DELAY_MILLIS: millis(
    5,
    "How long a transaction of a task waits on SQLite to share its commit with another one. No client waits for it, "
      + "and a commit costs as much CPU as a whole create. 0 in the emulator.",
    { min: 0, max: 1_000 }
  ),
  CLOCK_CHECK_MILLIS: millis(
    60_000,
    "How often the time is compared with the clock, and a replica checks its LISTEN session: clocks drift some ms a "
      + "minute.",
    { min: 1_000 }
  ),
  CLOCK_JUMP_MILLIS: millis(
    60_000,
    "Difference between the clock and the time that has passed above which renewals, expiry, and deletions stop until "
      + "an operator confirms the time. Clocks are corrected by less.",
    { min: 1_000 }
  ),
  CLOCK_STORE_MILLIS: millis(
    60 * 60_000,
    "How often the time is stored, for comparison at the next start: a write an hour."
  ),
  CLOCK_GAP_MILLIS: millis(
    24 * 60 * 60_000,
    "Difference between a start and the stored time above which the time needs a confirmation, too: the service was "
      + "stopped for long, or the clock is wrong."
  ),
  CLOCK_CONFIRM_MILLIS: millis(
    10 * 60_000,
    "Maximum difference between the clock and the time that an operator confirms, who types it from another clock."
  ),
  DATABASE_RETRY_AFTER_SECONDS: limit(
    1,
    "seconds",
    "Retry-After of a 503 when the database cannot be used: a restart takes about this long."
  ),
  CHECKPOINT_PAGES: limit(
    4_000,
    "pages of 4 KiB",
    "Size of SQLite's write-ahead log at which it is copied into the database file (16 MB). A lower value "
      + "copies frequently changed pages more often; a higher one slows reads and crash recovery. No data is lost.",
    { max: 1_000_000 }
  ),
  START_CHECK_BYTES: limit(
    16 * 1024 * 1024,
    "bytes",
    "Size of a database file up to which it is checked page by page at start, in about 50 ms. A larger one is "
      + "checked at both ends of each table and index, and completely by `vps-service admin verify`.",
    { min: 0 }
  ),
  BACKUP_STEP_PAGES: limit(
    100,
    "pages of 4 KiB",
    "Pages that an online backup copies at a time: about a millisecond of work, between which requests are served.",
    { max: 100_000 }
  ),
  DATABASE_BUSY_MILLIS: millis(
    5_000,
    "Maximum wait at start for a lock on the database file: the previous process may still be exiting.",
    { min: 0 }
  )
}
