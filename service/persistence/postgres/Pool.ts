/** Connections to one PostgreSQL database. `pg` is loaded on demand, so that SQLite does not pay for it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Writable } from "node:stream"
import { setTimeout } from "node:timers/promises"
import type * as Pg from "pg"
import { Limits, type LimitValues } from "../../config/Limits.ts"
import type { DatabaseUnusable } from "../DatabaseUnusable.ts"
import { describe } from "./Failures.ts"
import { protect } from "./Tls.ts"
import { explain, nameOf } from "./StartupErrors.ts"

/** A statement as `pg` takes it. */
export interface Statement {
  readonly text: string
  readonly values?: Array<string | number | null>
  /** The server prepares the statement under this name. */
  readonly name?: string
  readonly rowMode: "array"
  /** Longest wait for its result, in milliseconds, instead of the default. */
  readonly query_timeout?: number
}

export interface Answer {
  readonly rows: ReadonlyArray<ReadonlyArray<unknown>>
  readonly changes: number
}

/** One session of the server, used by one caller at a time. */
export interface Connection {
  readonly query: (statement: Statement) => Promise<Answer>
  /** Returns it to the pool; a lost one is closed. */
  readonly release: (lost: boolean) => void
}

/** A separate session that receives notifications. */
export interface Listener {
  readonly query: (text: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** Callbacks of a listener. */
export interface ListenerEvents {
  readonly onPayload: (payload: string) => void
  /** Once, when the session has ended by itself. */
  readonly onLost: () => void
}

export class Pool extends Context.Service<Pool, {
  /** Rejects when none is available in time. */
  readonly connect: () => Promise<Connection>
  readonly listen: (events: ListenerEvents) => Promise<Listener>
}>()("pulumi-vps/service/persistence/postgres/Pool") {}

const APPLICATION = "vps-service"

/** Numbers as numbers, booleans as 0 and 1, like SQLite; all else is text. int8, int4, int2, numeric, float8, oid. */
const NUMBERS = new Set([20, 23, 21, 1700, 701, 26])
const BOOLEAN = 16

const toNumber = (text: string): number => Number(text)
const toBit = (text: string): number => text === "t" ? 1 : 0
const toText = (text: string): string => text

const types = {
  getTypeParser: (oid: number) => NUMBERS.has(oid) ? toNumber : oid === BOOLEAN ? toBit : toText
} as unknown as Pg.CustomTypesConfig

// Computed, so that the bundler leaves it alone: the programs share one bundle of it.
const LIBRARY: string = "#service/persistence/postgres/Library"

const load = Effect.promise(async () => (await (import(LIBRARY) as Promise<typeof import("./Library.ts")>)).default)

const sessionOf = (
  protection: Awaited<ReturnType<typeof protect>>,
  { DATABASE_CONNECT_MILLIS, DATABASE_STATEMENT_MILLIS }: LimitValues
): Pg.ClientConfig => ({
  ...protection,
  // For a server that cannot even refuse: its machine is gone, and the network waits for it for a quarter of an hour.
  query_timeout: DATABASE_STATEMENT_MILLIS + DATABASE_CONNECT_MILLIS,
  application_name: APPLICATION,
  connectionTimeoutMillis: DATABASE_CONNECT_MILLIS,
  keepAlive: true,
  types
})

/** Of every statement of ours; a migration may take longer. A frozen replica must not hold a lock for ever. */
const timeoutsOf = ({ DATABASE_LOCK_MILLIS, DATABASE_STATEMENT_MILLIS }: LimitValues) => ({
  statement_timeout: DATABASE_STATEMENT_MILLIS,
  lock_timeout: DATABASE_LOCK_MILLIS,
  idle_in_transaction_session_timeout: DATABASE_STATEMENT_MILLIS
})

/** Several statements in one text, which takes no values, answer as the last one does. */
const answerOf = (result: Pg.QueryArrayResult | Array<Pg.QueryArrayResult>): Answer => {
  const last = Array.isArray(result) ? result.at(-1)! : result
  return { rows: last.rows, changes: last.rowCount ?? 0 }
}

/** Longest wait for a session to close, in milliseconds: one without a network never does. */
const CLOSE_MILLIS = 1_000

const closing = async (end: Promise<unknown>): Promise<void> => {
  const gone = new AbortController()
  const timeout = setTimeout(CLOSE_MILLIS, undefined, { signal: gone.signal }).catch(() => undefined)
  await Promise.race([end, timeout])
  gone.abort()
}

const ignore = (): void => undefined

/** The socket of a client, which the types of `pg` omit. */
const streamOf = (client: Pg.PoolClient) =>
  (client as unknown as { readonly connection: { readonly stream: Writable } }).connection.stream

/** Statements that are sent in one turn of the event loop leave in one write. */
const connectionOf = (client: Pg.PoolClient): Connection => {
  const stream = streamOf(client)
  let isCorked = false
  const uncork = () => {
    isCorked = false
    stream.uncork()
  }
  return {
    query: async (statement) => {
      if (!isCorked) {
        isCorked = true
        stream.cork()
        process.nextTick(uncork)
      }
      return answerOf(await client.query<Array<unknown>>(statement))
    },
    release: (lost) => client.release(lost)
  }
}

const listening = async (client: Pg.Client, { onLost, onPayload }: ListenerEvents): Promise<Listener> => {
  client.on("notification", ({ payload }) => onPayload(payload ?? ""))
  // Without a listener an error would end the process; what follows it is the end.
  client.on("error", ignore)
  await client.connect()
  client.once("end", onLost)
  return {
    query: async (text) => void await client.query(text),
    close: () => {
      client.off("end", onLost)
      return closing(client.end())
    }
  }
}

const make = Effect.fnUntraced(function*(url: string) {
  const pg = yield* load
  const limits = yield* Limits
  // `pg` itself parses the URL, so that the probed server is the one that it connects to.
  const placeOf = (connectionString: string) => new pg.Client({ connectionString, ssl: true })
  const session = yield* Effect.tryPromise({
    try: async () => sessionOf(await protect(url, placeOf, limits.DATABASE_CONNECT_MILLIS), limits),
    catch: (cause) => explain(nameOf(url), cause)
  })
  const context = yield* Effect.context<never>()
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new pg.Pool({ ...session, ...timeoutsOf(limits), pipeline: true, max: limits.DATABASE_CONNECTIONS })
    ),
    (pool) => Effect.promise(() => closing(pool.end()))
  )
  // The user of a connection is notified of its end by a statement, and the pool removes idle ones. But an error event
  // without a listener ends the process.
  pool.on("connect", (client) => void client.on("error", ignore))
  pool.on("error", (error) => {
    Effect.runForkWith(context)(Effect.logDebug(`An idle connection to the database was lost: ${describe(error)}`))
  })
  return Pool.of({
    connect: async () => connectionOf(await pool.connect()),
    listen: (events) => listening(new pg.Client(session), events)
  })
})

/** Connects on first use. Fails with `DatabaseUnusable` when a file in the URL cannot be used. */
export const layer = (url: string): Layer.Layer<Pool, DatabaseUnusable, Limits> => Layer.effect(Pool, make(url))
