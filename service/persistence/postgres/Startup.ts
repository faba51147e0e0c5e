/** Checks before the service starts: the database exists, is suitable, and has this program's schema. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { StartWait } from "../StartWait.ts"
import type { DatabaseUnusable } from "../DatabaseUnusable.ts"
import { sqlState } from "./Failures.ts"
import { migrate } from "./Migrate.ts"
import { type Connection, Pool } from "./Pool.ts"
import { explain, Misconfigured, nameOf, pooled, Unsuitable } from "./StartupErrors.ts"

/** The oldest major version that PostgreSQL supports, and that the tests run on. */
const OLDEST = 15

/** `server_version_num` counts majors in ten thousands. */
const MAJOR = 10_000

const check = async (connection: Connection, name: string): Promise<void> => {
  const text = "SELECT current_setting('server_version_num')::int, current_setting('server_version'), "
    + "current_setting('server_encoding')"
  const { rows: [row] } = await connection.query({ text, rowMode: "array" })
  const [number, version, encoding] = row as unknown as [number, string, string]
  if (number < OLDEST * MAJOR) {
    throw new Misconfigured(`${name} is PostgreSQL ${version}; the service needs ${OLDEST} or newer.`)
  }
  if (encoding !== "UTF8") {
    throw new Misconfigured(
      `${name} is encoded in ${encoding}; make one in UTF8: createdb --encoding UTF8 --template template0.`
    )
  }
}

/** One session of the server for one of ours, and a second one beside it. */
const pid = async (connection: Connection, before = ""): Promise<unknown> =>
  (await connection.query({ text: `${before} SELECT pg_backend_pid()`, rowMode: "array" })).rows[0]![0]

/**
 * A pooler in transaction mode gives the session that one of ours has just used to the next one of ours. While that one
 * has a transaction, the first gets another session.
 */
const checkPooler = async (pool: Pool["Service"], one: Connection, name: string): Promise<void> => {
  const other = await pool.connect()
  try {
    const before = await pid(one)
    const isShared = await pid(other, "BEGIN;") === before || await pid(one) !== before
    await other.query({ text: "ROLLBACK", rowMode: "array" })
    if (isShared) throw new Misconfigured(pooled(name, "transaction"))
  } finally {
    other.release(false)
  }
}

const prepare = async (pool: Pool["Service"], name: string): Promise<void> => {
  const connection = await pool.connect()
  try {
    await check(connection, name)
    await checkPooler(pool, connection, name)
    await migrate(connection).catch((cause: unknown) => {
      // An error that is not the database's has its own message: a newer schema.
      throw sqlState(cause) === undefined && cause instanceof Error ? new Unsuitable(cause.message) : cause
    })
  } finally {
    connection.release(false)
  }
}

/** Milliseconds between two attempts while the database refuses: a server that starts takes some seconds. */
const PAUSE_MILLIS = 1_000

/** Tries until the database can be used, or for another reason cannot; the log has each reason once. */
const wait = Effect.fnUntraced(function*(
  attempt: Effect.Effect<void, DatabaseUnusable>,
  first: DatabaseUnusable,
  show: NonNullable<(typeof StartWait)["Service"]>
) {
  let error = first
  while (true) {
    const { message } = error
    yield* Effect.logWarning(`The service waits for its database. ${message}`)
    const other = yield* Effect.scoped(Effect.gen(function*() {
      yield* show(message)
      while (true) {
        yield* Effect.sleep(PAUSE_MILLIS)
        const found = yield* Effect.match(attempt, { onSuccess: () => null, onFailure: (failure) => failure })
        if (found === null || found.message !== message) return found
      }
    }))
    if (other === null) return yield* Effect.logInfo("The database can be used now.")
    if (other.remedy !== "wait") return yield* other
    error = other
  }
})

/** Checks and migrates; fails with `DatabaseUnusable`, whose message never shows the password. */
export const layer = (url: string): Layer.Layer<never, DatabaseUnusable, Pool> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const pool = yield* Pool
    const show = yield* StartWait
    const attempt = Effect.tryPromise({
      try: () => prepare(pool, nameOf(url)),
      catch: (cause) => explain(nameOf(url), cause)
    })
    const first = yield* Effect.result(attempt)
    if (Result.isSuccess(first)) return
    if (show === null || first.failure.remedy !== "wait") return yield* first.failure
    yield* wait(attempt, first.failure, show)
  }))
