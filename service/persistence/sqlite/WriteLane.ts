/**
 * Group commit: use cases that arrive in one turn of the event loop share one transaction and one fsync, and are
 * answered after its COMMIT. Each is run to its end synchronously, so no turn passes between BEGIN and COMMIT and
 * reads outside of the lane never see half a transaction.
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { DatabaseSync } from "node:sqlite"
import { StorageUnavailable } from "../../domain/Errors.ts"
import { BatchObserver, Transaction } from "../Transaction.ts"
import { Database } from "./Database.ts"

/** Most jobs in one transaction, so that one batch cannot hold the event loop for long. */
const MAX_BATCH = 128

interface Job {
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

type Controls = ReturnType<typeof prepare>

const answer = (job: Job): void => {
  const exit = job.run()
  const defect = storageDefect(exit)
  job.exit = defect === undefined ? exit : unavailable(defect)
}

/** Optimistic: false as soon as a refused job turns out to have written. */
const runUnguarded = (controls: Controls, job: Job): boolean => {
  const before = controls.written()
  answer(job)
  return Exit.isSuccess(job.exit) || controls.written() === before
}

const runGuarded = (controls: Controls, job: Job): boolean => {
  controls.savepoint.run()
  answer(job)
  if (Exit.isFailure(job.exit)) controls.undo.run()
  controls.release.run()
  return true
}

const makeLane = (controls: Controls, connection: DatabaseSync) => {
  /** One transaction for all; false when it was rolled back. */
  const together = (batch: ReadonlyArray<Job>, run: typeof runGuarded): boolean => {
    try {
      controls.begin.run()
      // Some errors (disk full, I/O) make SQLite roll the whole transaction back by itself.
      if (!batch.every((job) => run(controls, job) && connection.isTransaction)) return false
      controls.commit.run()
      return true
    } catch { // the jobs are run again, each alone: the culprit fails then
      return false
    } finally {
      if (connection.isTransaction) controls.rollback.run()
    }
  }

  const alone = (job: Job): void => {
    try {
      controls.begin.run()
      answer(job)
      if (Exit.isSuccess(job.exit)) controls.commit.run()
    } catch (cause) {
      job.exit = unavailable(cause)
    } finally {
      if (connection.isTransaction) controls.rollback.run()
    }
  }

  /** Savepoints cost a third of a create, so the first try does without them. */
  return (batch: ReadonlyArray<Job>): void => {
    if (batch.length > 1 && (together(batch, runUnguarded) || together(batch, runGuarded))) return
    batch.forEach(alone)
  }
}

/** A use case as a job of the lane; once queued, it cannot be interrupted. */
const runBy =
  (push: (job: Job) => void) =>
  <A, E, R>(useCase: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageUnavailable, R> =>
    Effect.contextWith((context: Context.Context<R>) => {
      const job = () => Effect.runSyncExitWith(context)(useCase)
      return Effect.uninterruptible(Effect.callback<A, E | StorageUnavailable>((resume) => {
        const settled = (exit: Exit.Exit<unknown, unknown>) => resume(exit as Exit.Exit<A, E | StorageUnavailable>)
        push({ run: job, resume: settled, exit: NOT_RUN })
      }))
    })

/** The result of the last write. */
const makeHealth = (written: () => number) => {
  let isCommitted = true
  let before = written()
  return {
    isCommitted: () => isCommitted,
    recover: Effect.sync(() => void (isCommitted = true)),
    observe: (batch: ReadonlyArray<Job>): void => {
      const after = written()
      if (batch.some(({ exit }) => isUnavailable(exit))) isCommitted = false
      // A refusal writes nothing, and so proves nothing.
      else if (after > before) isCommitted = true
      before = after
    }
  }
}

const make = Effect.gen(function*() {
  const { connection } = yield* Database
  const controls = prepare(connection)
  const settle = makeLane(controls, connection)
  const observe = yield* BatchObserver
  let queue: Array<Job> = []
  let armed = false
  let pending = 0
  const health = makeHealth(controls.written)

  const drain = (): void => {
    armed = false
    const batch = queue.splice(0, MAX_BATCH)
    if (queue.length > 0) arm()
    const began = performance.now()
    try {
      settle(batch)
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
  const arm = (): void => {
    armed = true
    // The check phase: after every socket that was readable in this turn has been read.
    setImmediate(drain)
  }
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      while (queue.length > 0) drain()
    })
  )

  const run = runBy((job) => {
    pending++
    queue.push(job)
    if (!armed) arm()
  })
  const probe = Effect.andThen(run(Effect.sync(controls.touch)), health.recover)
  return Transaction.of({
    run,
    health: Effect.suspend(() => health.isCommitted() ? Effect.void : probe),
    pending: () => pending
  })
})

/** All writes of a running service go through the lane. */
export const layer: Layer.Layer<Transaction, never, Database> = Layer.effect(Transaction, make)
