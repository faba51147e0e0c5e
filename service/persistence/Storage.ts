/** The database: a SQLite file, which this process owns, or PostgreSQL, which replicas share. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Values } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { locate } from "../config/DatabaseLocation.ts"
import * as ClockTrust from "./clock/ServiceClock.ts"
import * as Postgres from "./postgres/Postgres.ts"
import * as Repositories from "./Repositories.ts"
import * as Copy from "./sqlite/Copy.ts"
import * as Sqlite from "./sqlite/Database.ts"
import * as WriteLane from "./sqlite/WriteLane.ts"

/** The services on a SQLite connection. */
export const onSqlite = Layer.mergeAll(Repositories.layer, WriteLane.layer, Copy.layer)

type Options = Partial<Pick<Values, "emulator" | "synchronous">>

const sqlite = (path: string, { emulator = false, synchronous = "full" }: Options) =>
  Layer.provideMerge(
    onSqlite,
    Layer.unwrap(Effect.map(Limits, ({ DATABASE_BUSY_MILLIS: busyTimeoutMillis }) =>
      Sqlite.layer({ path, busyTimeoutMillis, synchronous, kind: emulator ? "emulator" : "service" })))
  )

const postgres = (url: string) => Layer.provideMerge(Repositories.layer, Postgres.layer(url))

type Layered = ReturnType<typeof postgres> | ReturnType<typeof sqlite>

/** The services that both databases provide. */
type Storage = Extract<Layer.Success<ReturnType<typeof sqlite>>, Layer.Success<ReturnType<typeof postgres>>>

const database = (
  location: string,
  options: Options
): Layer.Layer<Storage, Layer.Error<Layered>, Limits> =>
  locate(location).isServer ? postgres(location) : sqlite(location, options)

/**
 * Repositories and transactions on the database of a path, `:memory:` or a URL, and the time of the service; the
 * emulator has a clock of its own. The options are for SQLite: PostgreSQL has its own `synchronous_commit`, and the
 * emulator cannot use it. Fails with `DatabaseUnusable`.
 */
export const layer = (location: string, options: Options = {}): ReturnType<typeof database> =>
  options.emulator === true
    ? database(location, options)
    : Layer.provideMerge(ClockTrust.layer, database(location, options))
