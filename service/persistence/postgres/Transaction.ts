/**
 * Each use case is a transaction of its own: SERIALIZABLE, or READ COMMITTED if what decides is locked first. One that
 * conflicts with others is retried; from the second attempt on retries are serialized by a lock, so that each
 * succeeds.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { StorageUnavailable } from "../../domain/Errors.ts"
import { Limits, type LimitValues } from "../../config/Limits.ts"
import { MIGRATIONS } from "../schema/Migrations.ts"
import { accompany, BatchObserver, type Lock, Transaction } from "../Transaction.ts"
import { CurrentTransaction, execute, type Held, reserveIds, send } from "./Database.ts"
import { describe, isLost, kindOf, READ_ONLY, tryPg, unavailable } from "./Failures.ts"
import { type Connection, Pool, type Statement } from "./Pool.ts"

/** The result of one attempt: the use case's own exit, or the database's error. */
type Tried<A, E> = { readonly exit: Exit.Exit<A, E> } | { readonly error: unknown; readonly committing: boolean }

/** A connection in use. Closing it ends its transaction and releases its locks. */
interface Session {
  readonly connection: Connection
  isBroken: boolean
}

/** Fails with the database's error. */
const command = (session: Session, text: string) => tryPg(() => session.connection.query({ text, rowMode: "array" }))

/** Ends a transaction or a lock; if that fails, its session is closed. */
const leave = (session: Session, text: string): Effect.Effect<void> =>
  session.isBroken ? Effect.void : Effect.match(command(session, text), {
    onSuccess: () => undefined,
    onFailure: () => {
      session.isBroken = true
    }
  })

/** The statements that a transaction begins with. */
type Opening = ReadonlyArray<Statement>

const SERIALIZABLE: Opening = [{ text: "BEGIN ISOLATION LEVEL SERIALIZABLE", rowMode: "array" }]

/** Each statement sees what was committed before it. */
const READ_COMMITTED: Opening = [{ text: "BEGIN ISOLATION LEVEL READ COMMITTED", rowMode: "array" }]

const LOCKING = {
  account: "SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE",
  instance: "SELECT 1 FROM instances WHERE id = $1 FOR NO KEY UPDATE",
  owner: "UPDATE accounts SET wallet = wallet WHERE id = (SELECT account_id FROM instances WHERE id = $1)",
  machine: "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))"
} as const

const lockOf = (kind: keyof typeof LOCKING, value: number | string): Statement => ({
  name: `vps_lock_${kind}`,
  text: LOCKING[kind],
  values: [value],
  rowMode: "array"
})

const locksOf = (lock: Lock): Opening => {
  if ("account" in lock) return [lockOf("account", lock.account)]
  if ("instance" in lock) return [lockOf("instance", lock.instance)]
  if ("machine" in lock) return [lockOf("machine", lock.machine)]
  return [lockOf("instance", lock.instanceWithAccount), lockOf("owner", lock.instanceWithAccount)]
}

/** Statements after the lock see what its last holder wrote. */
const locking = (lock: Lock): Opening => [...READ_COMMITTED, ...locksOf(lock)]

/** BEGIN goes out with the first statement, and COMMIT without waiting for the answer to the last one. */
const attempt = Effect.fnUntraced(function*<A, E, R>(
  session: Session,
  opening: Opening,
  useCase: Effect.Effect<A, E, R>
) {
  const { connection } = session
  const held: Held = { connection, opening, sent: [], ids: new Map(), failure: undefined, ended: false }
  const exit = yield* Effect.exit(Effect.provideService(useCase, CurrentTransaction, held))
  held.ended = true
  const tried: Tried<A, E> = { exit }
  if (held.sent.length === 0) return tried
  const committing = held.failure === undefined && Exit.isSuccess(exit)
  void send(held, { text: committing ? "COMMIT" : "ROLLBACK", rowMode: "array" }).catch(() => undefined)
  yield* Effect.promise(() => Promise.all(held.sent))
  if (held.failure === undefined) return tried
  session.isBroken = isLost(held.failure)
  // After an error the server answers COMMIT by rolling back. Only a lost connection leaves that in doubt.
  const failed: Tried<A, E> = { error: held.failure, committing }
  return failed
})

/** Acquires the session's lock before the transaction begins, which then reads the state that the last one left. */
const serialized = Effect.fnUntraced(function*<A, E, R>(
  session: Session,
  opening: Opening,
  useCase: Effect.Effect<A, E, R>
) {
  yield* command(session, `SELECT pg_advisory_lock(${LOCKS.turn})`)
  const tried = yield* attempt(session, opening, useCase)
  session.isBroken ||= "error" in tried && isLost(tried.error)
  yield* leave(session, `SELECT pg_advisory_unlock(${LOCKS.turn})`)
  return tried
})

/** One attempt, on a connection of its own. */
const onConnection = <A, E, R>(
  pool: Pool["Service"],
  use: (session: Session) => Effect.Effect<Tried<A, E>, unknown, R>
): Effect.Effect<Tried<A, E>, never, R> =>
  tryPg(() => pool.connect()).pipe(
    Effect.flatMap((connection) => {
      const session = { connection, isBroken: false }
      return use(session).pipe(
        Effect.tapError(() => Effect.sync(() => void (session.isBroken = true))),
        Effect.ensuring(Effect.sync(() => connection.release(session.isBroken)))
      )
    }),
    Effect.catch((error) => Effect.succeed({ error, committing: false }))
  )

/** Transactions with one lock that hold a connection: the second one sends its reads while the first one commits. */
const CONNECTIONS_PER_LOCK = 2

/**
 * Lets the others with the same lock wait without a connection. They would wait on it for the lock, and a busy account
 * would take the whole pool from all others. They wait as long as for a lock.
 */
const makeTurns = ({ DATABASE_LOCK_MILLIS }: LimitValues) => {
  const lanes = new Map<string, { readonly permits: Semaphore.Semaphore; users: number }>()
  const tooLong = Effect.fail(
    new StorageUnavailable({ message: `Other requests of the same account took ${DATABASE_LOCK_MILLIS} ms.` })
  )
  return (lock: Lock) => <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageUnavailable, R> =>
    Effect.suspend(() => {
      const key = JSON.stringify(lock)
      const lane = lanes.get(key) ?? { permits: Semaphore.makeUnsafe(CONNECTIONS_PER_LOCK), users: 0 }
      lanes.set(key, lane)
      lane.users++
      const { permits } = lane
      const wait = Effect.timeoutOrElse(Effect.interruptible(permits.take(1)), {
        duration: DATABASE_LOCK_MILLIS,
        orElse: () => tooLong
      })
      const taken = Effect.flatMap(permits.takeIfAvailable(1), (isFree) => isFree ? Effect.void : wait)
      const left = Effect.sync(() => {
        if (--lane.users === 0) lanes.delete(key)
      })
      return Effect.ensuring(Effect.andThen(taken, Effect.ensuring(work, permits.release(1))), left)
    })
}

/** The caller's error when the database fails for the last time. */
const explain = Effect.fnUntraced(function*(error: unknown, committing: boolean) {
  const log = kindOf(error) === "refused" ? Effect.logError : Effect.logWarning
  yield* log(`A transaction failed: ${describe(error)}`)
  if (!committing || !isLost(error)) return yield* unavailable(error)
  return yield* new StorageUnavailable({
    message: "The connection to the database was lost during the commit.",
    inDoubt: true
  })
})

/** Holds the version of the schema; not part of the service's data. */
export const VERSION_TABLE = "vps_schema_version"

/** Every session on a standby, or on a database that was made read-only, is read-only. */
const ASK = {
  text: `SELECT current_setting('transaction_read_only'), (SELECT version FROM ${VERSION_TABLE})`,
  rowMode: "array"
} as const

const KNOWN = MIGRATIONS.length

/** A newer service has changed the schema beside this one, which does not know what it would overlook. */
const outdated = (version: number): string =>
  `The database has schema version ${version}, and this replica knows up to ${KNOWN}. Upgrade the replica.`

/**
 * Allocates on the disk, reaches the log, and leaves nothing. Updating a row would not do: its own page has space even
 * on a full disk, and a commit without a change need not reach the log.
 */
const TOUCH = {
  text: "CREATE TEMPORARY TABLE vps_touch ON COMMIT DROP AS SELECT 1 AS touched",
  rowMode: "array"
} as const

/**
 * While every commit succeeds, it is enough to read whether sessions may write. After a failure only a write can prove
 * recovery: smaller ones may succeed on a full disk.
 */
const makeHealth = (pool: Pool["Service"]) => {
  let failures = 0
  let recovered = 0
  const ask = Effect.flatMap(
    execute(pool, ASK),
    ({ rows: [row] }) => {
      const [isReadOnly, version] = row as readonly [string, number]
      if (isReadOnly === "on") {
        pool.renew()
        return Effect.fail(new StorageUnavailable({ message: READ_ONLY }))
      }
      return version > KNOWN ? Effect.fail(new StorageUnavailable({ message: outdated(version) })) : Effect.void
    }
  )
  return {
    failed: (): void => void failures++,
    /** Within `run`, which reports failures. */
    check: <E>(run: (useCase: typeof ask) => Effect.Effect<void, E>): Effect.Effect<void, E> =>
      Effect.suspend(() => {
        const before = failures
        if (before === recovered) return run(ask)
        const touch = run(Effect.asVoid(execute(pool, TOUCH)))
        return touch.pipe(Effect.andThen(Effect.sync(() => void (recovered = before))), Effect.andThen(run(ask)))
      })
  }
}

const make = Effect.gen(function*() {
  const pool = yield* Pool
  const limits = yield* Limits
  const { DATABASE_TRIES } = limits
  const inTurn = makeTurns(limits)
  const health = makeHealth(pool)
  // Each process has one attempt in the queue: the others need no connection while they wait.
  const queue = yield* Semaphore.make(1)
  const observe = yield* BatchObserver
  let pending = 0
  const again = <A, E, R>(
    opening: Opening,
    useCase: Effect.Effect<A, E, R>,
    tries: number
  ): Effect.Effect<A, E | StorageUnavailable, R> =>
    Effect.gen(function*() {
      const tried = tries === 1
        ? yield* onConnection(pool, (session) => attempt(session, opening, useCase))
        : yield* queue.withPermit(onConnection(pool, (session) => serialized(session, opening, useCase)))
      if ("exit" in tried) return yield* tried.exit
      const repeat = kindOf(tried.error) === "conflict" && tries < DATABASE_TRIES
      if (repeat) return yield* again(opening, useCase, tries + 1)
      health.failed()
      return yield* explain(tried.error, tried.committing)
    })
  const running = (opening: Opening, lock?: Lock): Transaction["Service"]["run"] =>
    accompany((useCase) =>
      Effect.suspend(() => {
        pending++
        const began = performance.now()
        const ended = Effect.sync(() => {
          pending--
          observe(1, performance.now() - began)
        })
        const work = again(opening, useCase, 1)
        return Effect.ensuring(lock === undefined ? work : inTurn(lock)(work), ended)
      }).pipe(Effect.uninterruptible)
    )
  return Transaction.of({
    run: running(SERIALIZABLE),
    runLocking: (lock) => running(locking(lock), lock),
    runWriting: running(READ_COMMITTED),
    together: (reads) => Effect.all(reads, { concurrency: "unbounded" }),
    reserveIds,
    // Not by `run`: it is not a use case, and is not counted as one.
    health: health.check((useCase) => again(SERIALIZABLE, useCase, 1)),
    pending: () => pending
  })
})

export const layer: Layer.Layer<Transaction, never, Limits | Pool> = Layer.effect(Transaction, make)

/** Advisory locks, which PostgreSQL identifies by number. Each belongs to one database. */
export const LOCKS = {
  /** Serializes changes of the schema. */
  migration: 8_150_001,
  /** Serializes use cases that conflicted with others. */
  turn: 8_150_002
} as const
