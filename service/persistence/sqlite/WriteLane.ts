/**
 * Group commit: use cases that arrive in one turn of the event loop share one transaction and one fsync, and are
 * answered after its COMMIT; those of background work wait some milliseconds for others. Each is run to its end
 * synchronously, so no turn passes between BEGIN and COMMIT and reads outside of the lane never see half a transaction.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { DatabaseSync } from "node:sqlite"
import { StorageUnavailable } from "../../domain/Errors.ts"
import { accompany, BatchObserver, CommitDelay, Transaction } from "../Transaction.ts"
import { Database } from "./Database.ts"

/** Most jobs in one transaction, so that one batch cannot hold the event loop for long. */
const MAX_BATCH = 128

interface Job {
  /** The longest wait of its commit for other jobs; see `CommitDelay`. */
  readonly delay: number
  readonly run: () => Exit.Exit<unknown, unknown>
  readonly resume: (exit: Exit.Exit<unknown, unknown>) => void
  exit: Exit.Exit<unknown, unknown>
}

/**
 * It is unknown whether the disk has a commit. The lane continues as if it had not; after a kill right now, the next
 * start might find that it had.
 */
const FSYNC_FAILED = 1_034

/** The exit of a use case whose writes could not be committed. */
export const unavailable = (cause: unknown) => {
  const message = `The database cannot be written: ${cause instanceof Error ? cause.message : String(cause)}.`
  const inDoubt = cause instanceof Error && "errcode" in cause && cause.errcode === FSYNC_FAILED
  return Exit.fail(new StorageUnavailable({ message, ...(inDoubt ? { inDoubt } : {}) }))
}

/** The initial exit of every job; created once, because errors are expensive. */
const NOT_RUN = unavailable("the job was not run")

const isUnavailable = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof StorageUnavailable

/** node:sqlite's errors carry `errcode`; they surface as defects of the use case. */
const storageDefect = (exit: Exit.Exit<unknown, unknown>): unknown => {
  if (!Exit.isFailure(exit)) return undefined
  const defect = Cause.squash(exit.cause)
  return defect instanceof Error && "errcode" in defect ? defect : undefined
}

const prepare = (connection: DatabaseSync) => {
  const changes = connection.prepare("SELECT total_changes()")
  changes.setReturnArrays(true)
  return {
    connection,
    begin: connection.prepare("BEGIN IMMEDIATE"),
    commit: connection.prepare("COMMIT"),
    rollback: connection.prepare("ROLLBACK"),
    savepoint: connection.prepare("SAVEPOINT job"),
    undo: connection.prepare("ROLLBACK TO job"),
    release: connection.prepare("RELEASE job"),
    /** Writes the first page as it is, and so goes all the way to the disk. */
    touch: () => {
      const { user_version: version } = connection.prepare("PRAGMA user_version").get() as { user_version: number }
      connection.exec(`PRAGMA user_version = ${version}`)
    },
    /** Rows written on this connection so far: distinguishes a refusal that wrote nothing. */
    written: (): number => Number((changes.get() as unknown as [number])[0])
  }
}

type Lane = ReturnType<typeof prepare>

const answer = (job: Job): void => {
  const exit = job.run()
  const defect = storageDefect(exit)
  job.exit = defect === undefined ? exit : unavailable(defect)
}

const rollBackIfOpen = ({ connection, rollback }: Lane): void => {
  if (connection.isTransaction) rollback.run()
}

/** Commits all jobs in one transaction; false if that is impossible, and then nothing is written. */
const together = (lane: Lane, batch: ReadonlyArray<Job>, run: (job: Job) => boolean): boolean => {
  try {
    lane.begin.run()
    // Some errors (disk full, I/O) make SQLite roll the whole transaction back by itself.
    if (!batch.every((job) => run(job) && lane.connection.isTransaction)) return false
    lane.commit.run()
    return true
  } catch { // the next strategy runs the jobs again
    return false
  } finally {
    rollBackIfOpen(lane)
  }
}

/**
 * First: without savepoints, which cost a third of a create. Fails if a refused job may have written: a request's is
 * checked, because requests are refused often; a background job's is not, because it is hardly ever refused.
 */
const optimistic = (lane: Lane, batch: ReadonlyArray<Job>): boolean =>
  together(lane, batch, (job) => {
    const before = job.delay === 0 ? lane.written() : undefined
    answer(job)
    return Exit.isSuccess(job.exit) || lane.written() === before
  })

/** Second: a savepoint for each job takes back the writes of a refused one. Fails if the database fails. */
const guarded = (lane: Lane, batch: ReadonlyArray<Job>): boolean =>
  together(lane, batch, (job) => {
    lane.savepoint.run()
    answer(job)
    if (Exit.isFailure(job.exit)) lane.undo.run()
    lane.release.run()
    return true
  })

/** Last, and for a single job: a transaction for each, so that the one that breaks the others fails alone. */
const separate = (lane: Lane, batch: ReadonlyArray<Job>): void => {
  for (const job of batch) {
    try {
      lane.begin.run()
      answer(job)
      if (Exit.isSuccess(job.exit)) lane.commit.run()
    } catch (cause) {
      job.exit = unavailable(cause)
    } finally {
      rollBackIfOpen(lane)
    }
  }
}

const execute = (lane: Lane, batch: ReadonlyArray<Job>): void => {
  if (batch.length > 1 && (optimistic(lane, batch) || guarded(lane, batch))) return
  separate(lane, batch)
}

/** A use case as a job of the lane; once queued, it cannot be interrupted. */
const runBy =
  (push: (job: Job) => void) =>
  <A, E, R>(useCase: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageUnavailable, R> =>
    Effect.contextWith((context: Context.Context<R>) => {
      const job = () => Effect.runSyncExitWith(context)(useCase)
      return Effect.uninterruptible(Effect.callback<A, E | StorageUnavailable>((resume) => {
        const complete = (exit: Exit.Exit<unknown, unknown>) => resume(exit as Exit.Exit<A, E | StorageUnavailable>)
        push({ delay: Context.get(context, CommitDelay), run: job, resume: complete, exit: NOT_RUN })
      }))
    })

/** The result of the last write. */
const makeHealth = (written: () => number) => {
  let isCommitted = true
  /** The rows written until the commit that failed last. */
  let before = 0
  return {
    isCommitted: () => isCommitted,
    recover: Effect.sync(() => void (isCommitted = true)),
    observe: (batch: ReadonlyArray<Job>): void => {
      if (batch.some(({ exit }) => isUnavailable(exit))) {
        isCommitted = false
        before = written()
      } // A refusal writes nothing, and so proves nothing.
      else if (!isCommitted) isCommitted = written() > before
    }
  }
}

/** The lane runs use cases one after the other, and a statement of SQLite is a call. */
const withoutRoundTrips = (run: Transaction["Service"]["run"]): Omit<Transaction["Service"], "health" | "pending"> => ({
  run,
  runLocking: () => run,
  runWriting: run,
  together: (reads) => Effect.all(reads),
  reserveIds: () => Effect.void
})

/** Calls `drain` after this turn of the event loop, or after a delay, for as long as nothing is more urgent. */
const makeAlarm = (drain: () => void) => {
  let armed = false
  let delayed: NodeJS.Timeout | undefined
  const arm = (): void => {
    clearTimeout(delayed)
    delayed = undefined
    armed = true
    // The check phase: after every socket that was readable in this turn has been read.
    setImmediate(() => {
      armed = false
      drain()
    })
  }
  return {
    set: (delay: number): void => {
      if (armed) return
      if (delay === 0) arm()
      else delayed ??= setTimeout(arm, delay)
    },
    clear: (): void => clearTimeout(delayed)
  }
}

const make = Effect.gen(function*() {
  const { connection } = yield* Database
  const lane = prepare(connection)
  const observe = yield* BatchObserver
  let queue: Array<Job> = []
  let pending = 0
  const health = makeHealth(lane.written)

  const drain = (): void => {
    const batch = queue.splice(0, MAX_BATCH)
    if (queue.length > 0) alarm.set(0)
    const began = performance.now()
    try {
      execute(lane, batch)
    } catch (cause) { // even the rollback failed: nothing was committed, and every caller gets that error
      for (const job of batch) job.exit = unavailable(cause)
    }
    health.observe(batch)
    observe(batch.length, performance.now() - began)
    for (const job of batch) {
      pending--
      job.resume(job.exit)
    }
  }
  const alarm = makeAlarm(drain)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      alarm.clear()
      while (queue.length > 0) drain()
    })
  )

  const run = accompany(runBy((job) => {
    pending++
    queue.push(job)
    alarm.set(job.delay)
  }))
  const probe = Effect.andThen(run(Effect.sync(lane.touch)), health.recover)
  return Transaction.of({
    ...withoutRoundTrips(run),
    health: Effect.suspend(() => health.isCommitted() ? Effect.void : probe),
    pending: () => pending
  })
})

/** All writes of a running service go through the lane. */
export const layer: Layer.Layer<Transaction, never, Database> = Layer.effect(Transaction, make)
