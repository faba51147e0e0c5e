/** Connections to one PostgreSQL database. `pg` is loaded on demand, so that SQLite does not pay for it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Writable } from "node:stream"
import { setTimeout } from "node:timers/promises"
import type * as Pg from "pg"
import { Limits, type LimitValues } from "../../config/Limits.ts"
import type { DatabaseUnusable } from "../DatabaseUnusable.ts"
import { describe, READ_ONLY_STATE, sqlState } from "./Failures.ts"
import { makeRoutes, type Route, type Routes } from "./Routes.ts"
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
  /** Replaces all sessions: the server can only be read, and its address may lead to another one by now. */
  readonly renew: () => void
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

const optionsOf = ({ connectMillis }: Routes, { DATABASE_STATEMENT_MILLIS }: LimitValues): Pg.ClientConfig => ({
  // For a server that cannot even refuse: its machine is gone, and the network waits for it for a quarter of an hour.
  query_timeout: DATABASE_STATEMENT_MILLIS + connectMillis,
  application_name: APPLICATION,
  connectionTimeoutMillis: connectMillis,
  keepAlive: true,
  pipeline: true,
  types
})

/**
 * The first statements of a session. Its timeouts are of every statement of ours; a migration may take longer. A frozen
 * replica must not hold a lock for ever. Poolers refuse them as parameters of the session's start.
 */
const openingOf = ({ DATABASE_LOCK_MILLIS, DATABASE_STATEMENT_MILLIS }: LimitValues): string =>
  [
    `SET statement_timeout = ${DATABASE_STATEMENT_MILLIS}`,
    `SET lock_timeout = ${DATABASE_LOCK_MILLIS}`,
    `SET idle_in_transaction_session_timeout = ${DATABASE_STATEMENT_MILLIS}`,
    "SELECT current_setting('transaction_read_only') = 'on', pg_is_in_recovery()"
  ].join("; ")

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

/** Missing in the types of `pg`. */
interface Wire {
  readonly stream: Writable
  readonly on: (
    event: "parameterStatus",
    act: (status: { readonly parameterName: string; readonly parameterValue: string }) => void
  ) => void
}

const wireOf = (client: Pg.Client): Wire => (client as unknown as { readonly connection: Wire }).connection

/** A session, and what is known of its server. */
interface Session extends Pg.Client {
  /** Of its route. */
  readonly place: number
  readonly openedAt: number
  isReadOnly: boolean
}

type PooledSession = Session & Pick<Pg.PoolClient, "release">

/** Statements that are sent in one turn of the event loop leave in one write. */
const connectionOf = (client: PooledSession, { isOutdated, renew }: Renewal): Connection => {
  const { stream } = wireOf(client)
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
      try {
        return answerOf(await client.query<Array<unknown>>(statement))
      } catch (error) {
        if (sqlState(error) === READ_ONLY_STATE) renew()
        throw error
      }
    },
    release: (lost) => client.release(lost || isOutdated(client))
  }
}

/** PostgreSQL reports these to a session whenever they change. */
const REPORTED = new Set(["in_hot_standby", "default_transaction_read_only"])

/**
 * Age in milliseconds from which a session that can only read is replaced: its address may lead to a primary by now.
 * Also the shortest time between two renewals, so that a database that stays read-only does not open sessions all the
 * time.
 */
const RENEW_MILLIS = 1_000

/**
 * After a failover, sessions may stay on a server that only reads, and that nothing closes. They are closed when they
 * are not in use, and new ones go where the address leads then.
 */
const makeRenewal = () => {
  const listeners = new Set<() => void>()
  let since = Number.NEGATIVE_INFINITY
  let place: number | undefined
  return {
    listeners,
    isOutdated: (session: Session): boolean =>
      session.openedAt < since || session.place !== place
      || (session.isReadOnly && performance.now() - session.openedAt > RENEW_MILLIS),
    renew: (): void => {
      const now = performance.now()
      if (now - since < RENEW_MILLIS) return
      since = now
      for (const close of listeners) close()
    },
    /** A session was opened on a host: those on others are outdated. */
    moved: (to: number): void => {
      if (place === to) return
      place = to
      for (const close of listeners) close()
    }
  }
}

type Renewal = ReturnType<typeof makeRenewal>

/** The error of a session that was opened on a server of the wrong kind, as PostgreSQL would word it. */
const onlyReads = (): Error =>
  Object.assign(new Error("session is read-only"), { code: READ_ONLY_STATE, severity: "FATAL" })

/** The words of `pg` when all sessions are in use, which says nothing of the server. */
const NONE_FREE = "timeout exceeded when trying to connect"

const listening = async (
  client: Session,
  { onLost, onPayload }: ListenerEvents,
  { listeners }: Renewal
): Promise<Listener> => {
  client.on("notification", ({ payload }) => onPayload(payload ?? ""))
  // Without a listener an error would end the process; what follows it is the end.
  client.on("error", ignore)
  await client.connect()
  const close = () => void client.end().catch(ignore)
  listeners.add(close)
  client.once("end", () => {
    listeners.delete(close)
    onLost()
  })
  return {
    query: async (text) => void await client.query(text),
    close: () => closing(client.end())
  }
}

const make = Effect.fnUntraced(function*(url: string) {
  const pg = yield* load
  const limits = yield* Limits
  // `pg` itself parses the URL, so that the probed server is the one that it connects to.
  const placeOf = (connectionString: string) => new pg.Client({ connectionString, ssl: true })
  const routes = yield* Effect.try({
    try: () => makeRoutes(url, placeOf, limits),
    catch: (cause) => explain(nameOf(url), cause)
  })
  const { count, connectMillis, target } = routes
  const renewal = makeRenewal()
  const options = optionsOf(routes, limits)
  const opening = openingOf(limits)
  /** Of the newest attempt: the pool makes a session when it likes to. */
  let route: Route
  class OwnSession extends pg.Client implements Session {
    readonly place = route.place
    readonly openedAt = performance.now()
    isReadOnly = false
    constructor() {
      super({ ...options, ...route.config })
    }
  }
  const onConnect = async (client: Pg.ClientBase): Promise<void> => {
    const session = client as Session
    const { rows: [row] } = answerOf(await session.query<Array<unknown>>({ text: opening, rowMode: "array" }))
    const [isReadOnly, isStandby] = row as unknown as readonly [number, number]
    session.isReadOnly = isReadOnly === 1
    if ((target === "read-write" && session.isReadOnly) || (target === "primary" && isStandby === 1)) throw onlyReads()
    renewal.moved(session.place)
    wireOf(session).on("parameterStatus", ({ parameterName, parameterValue }) => {
      if (!REPORTED.has(parameterName)) return
      session.isReadOnly = parameterValue === "on"
      if (session.isReadOnly) renewal.renew()
    })
  }
  const context = yield* Effect.context<never>()
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new pg.Pool({
        Client: OwnSession,
        connectionTimeoutMillis: connectMillis,
        max: limits.DATABASE_CONNECTIONS,
        // Its type omits that the pool waits for it.
        onConnect: onConnect as (client: Pg.ClientBase) => void
      })
    ),
    (pool) => Effect.promise(() => closing(pool.end()))
  )
  // The user of a connection is notified of its end by a statement, and the pool removes idle ones. But an error event
  // without a listener ends the process.
  pool.on("connect", (client) => void client.on("error", ignore))
  pool.on("error", (error) => {
    Effect.runForkWith(context)(Effect.logDebug(`An idle connection to the database was lost: ${describe(error)}`))
  })
  /** A session of the pool, new if need be. Every host is tried once. */
  const open = async (tries: number): Promise<PooledSession> => {
    const tried = route = await routes.current()
    let session: PooledSession
    try {
      session = await pool.connect() as unknown as PooledSession
    } catch (error) {
      if (error instanceof Error && error.message === NONE_FREE) throw error
      routes.leave(tried)
      if (tries >= count) throw error
      return open(tries + 1)
    }
    if (!renewal.isOutdated(session)) return session
    session.release(true)
    return open(tries)
  }
  return Pool.of({
    connect: async () => connectionOf(await open(1), renewal),
    listen: async (events) => {
      route = await routes.current()
      return listening(new OwnSession(), events, renewal)
    },
    renew: renewal.renew
  })
})

/** Connects on first use. Fails with `DatabaseUnusable` when a file in the URL cannot be used. */
export const layer = (url: string): Layer.Layer<Pool, DatabaseUnusable, Limits> => Layer.effect(Pool, make(url))
