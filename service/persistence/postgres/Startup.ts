/** Checks before the service starts: the database exists, is suitable, and has this program's schema. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { DatabaseUnusable } from "../DatabaseUnusable.ts"
import { sqlState } from "./Failures.ts"
import { migrate } from "./Migrate.ts"
import { type Connection, Pool } from "./Pool.ts"
import { explain, nameOf, Unsuitable } from "./StartupErrors.ts"

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
    throw new Unsuitable(`${name} is PostgreSQL ${version}; the service needs ${OLDEST} or newer.`)
  }
  if (encoding !== "UTF8") {
    throw new Unsuitable(
      `${name} is encoded in ${encoding}; make one in UTF8: createdb --encoding UTF8 --template template0.`
    )
  }
}

const prepare = async (pool: Pool["Service"], name: string): Promise<void> => {
  const connection = await pool.connect()
  try {
    await check(connection, name)
    await migrate(connection).catch((cause: unknown) => {
      // An error that is not the database's has its own message: a newer schema.
      throw sqlState(cause) === undefined && cause instanceof Error ? new Unsuitable(cause.message) : cause
    })
  } finally {
    connection.release(false)
  }
}

/** Checks and migrates; fails with `DatabaseUnusable`, whose message never shows the password. */
export const layer = (url: string): Layer.Layer<never, DatabaseUnusable, Pool> =>
  Layer.effectDiscard(
    Effect.flatMap(Pool, (pool) =>
      Effect.tryPromise({
        try: () => prepare(pool, nameOf(url)),
        catch: (cause) => explain(nameOf(url), cause)
      }))
  )
