/** What is looked at before the service begins: that the database is there, ours, and as this program knows it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DatabaseUnusable } from "../sqlite/Database.ts"
import { nameOf } from "./Address.ts"
import { describe, sqlState } from "./Failures.ts"
import { migrate } from "./Migrations.ts"
import { type Connection, Pool } from "./Pool.ts"

/** The oldest major version that PostgreSQL's own people still repair, and that our tests run on. */
const OLDEST = 15

/** `server_version_num` counts majors in ten thousands. */
const MAJOR = 10_000

/** Something that an operator has to change; the message is for them. */
class Unsuitable extends Error {}

const MEANINGS: Readonly<Record<string, (name: string, reason: string) => string>> = {
  "28P01": (name) => `${name} does not accept this user's password. Look at --database, or VPS_SERVICE_DATABASE.`,
  "28000": (name, reason) => `${name} does not let this user in: ${reason}. Look at its pg_hba.conf and at --database.`,
  "3D000": (name) => `${name} does not exist on that server. Make it with createdb, or name another with --database.`,
  "42501": (name, reason) => `${name} does not let this user make tables: ${reason}. Make the user its owner.`,
  "25006": (name) => `${name} can only be read: it is a standby. Name the primary with --database.`,
  "53300": (name) => `${name} has no connection left: raise its max_connections, or lower DATABASE_CONNECTIONS.`
}

const explain = (name: string, cause: unknown): DatabaseUnusable => {
  const code = sqlState(cause)
  const reason = describe(cause)
  const meaning = code === undefined ? undefined : MEANINGS[code]
  const message = cause instanceof Unsuitable
    ? reason
    : meaning !== undefined
    ? meaning(name, reason)
    : code === undefined
    ? `${name} does not answer: ${reason}. Is PostgreSQL running there, and does it listen?`
    : `${name} cannot be used: ${reason}`
  return new DatabaseUnusable({ message })
}

const look = async (connection: Connection, name: string): Promise<void> => {
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
    await look(connection, name)
    await migrate(connection).catch((cause: unknown) => {
      // Its own words, when it was not the database that spoke: a newer schema.
      throw sqlState(cause) === undefined && cause instanceof Error ? new Unsuitable(cause.message) : cause
    })
  } finally {
    connection.release(false)
  }
}

/** Looks, and migrates; fails with `DatabaseUnusable`, whose message never shows the password. */
export const layer = (url: string): Layer.Layer<never, DatabaseUnusable, Pool> =>
  Layer.effectDiscard(
    Effect.flatMap(Pool, (pool) =>
      Effect.tryPromise({
        try: () => prepare(pool, nameOf(url)),
        catch: (cause) => explain(nameOf(url), cause)
      }))
  )
