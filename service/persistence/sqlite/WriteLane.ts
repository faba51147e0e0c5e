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
import { StorageUnavailable, Transaction } from "../Transaction.ts"
import { Database } from "./Database.ts"

/** Most jobs in one transaction, so that one batch cannot hold the event loop for long. */
const MAX_BATCH = 128

interface Job {
  readonly run: () => Exit.Exit<unknown, unknown>
  readonly resume: (exit: Exit.Exit<unknown, unknown>) => void
  exit: Exit.Exit<unknown, unknown>
}

const unavailable = (cause: unknown) =>
  Exit.fail(
    new StorageUnavailable({
      message: `The database cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`
    })
  )

/** node:sqlite's errors carry `errcode`; they surface as defects of the use case. */
const isStorageDefect = (exit: Exit.Exit<unknown, unknown>): unknown => {
  if (!Exit.isFailure(exit)) return undefined
  const defect = Cause.squash(exit.cause)
  return defect instanceof Error && "errcode" in defect ? defect : undefined
}

const makeLane = (connection: Database["Service"]["connection"]) => {
  const [begin, commit, rollback] = ["BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"].map((sql) => connection.prepare(sql))
  const [savepoint, undo, release] = ["SAVEPOINT job", "ROLLBACK TO job", "RELEASE job"].map((sql) =>
    connection.prepare(sql)
  )
  const changes = connection.prepare("SELECT total_changes()")
  changes.setReturnArrays(true)
  const written = (): number => Number((changes.get() as unknown as [number])[0])

  const answer = (job: Job): void => {
    const exit = job.run()
    const defect = isStorageDefect(exit)
    job.exit = defect === undefined ? exit : unavailable(defect)
  }

  /** One transaction for all; false when it cannot stand and was rolled back. */
  const together = (batch: ReadonlyArray<Job>, guarded: boolean): boolean => {
    for (const job of batch) {
      if (guarded) savepoint!.run()
      const before = guarded ? 0 : written()
      answer(job)
      // Some errors (disk full, I/O) make SQLite roll the whole transaction back by itself.
      if (!connection.isTransaction) return false
      if (guarded) {
        if (Exit.isFailure(job.exit)) undo!.run()
        release!.run()
      } else if (Exit.isFailure(job.exit) && written() !== before) {
        return false
      }
    }
    commit!.run()
    return true
  }

  const attempt = (batch: ReadonlyArray<Job>, guarded: boolean): boolean => {
    try {
      begin!.run()
      return together(batch, guarded)
    } catch {
      return false
    } finally {
      if (connection.isTransaction) rollback!.run()
    }
  }

  const alone = (job: Job): void => {
    try {
      begin!.run()
      answer(job)
      if (Exit.isSuccess(job.exit)) commit!.run()
    } catch (cause) {
      job.exit = unavailable(cause)
    } finally {
      if (connection.isTransaction) rollback!.run()
    }
  }

  /** Savepoints cost a third of a create, so the first try does without them. */
  return (batch: ReadonlyArray<Job>): void => {
    if (batch.length > 1 && (attempt(batch, false) || attempt(batch, true))) return
    batch.forEach(alone)
  }
}

const make = Effect.gen(function*() {
  const { connection } = yield* Database
  const settle = makeLane(connection)
  let queue: Array<Job> = []
  let armed = false

  const drain = (): void => {
    armed = false
    const batch = queue.splice(0, MAX_BATCH)
    if (queue.length > 0) arm()
    try {
      settle(batch)
    } catch (cause) { // not even the rollback works: nothing was committed, and every caller must hear so
      for (const job of batch) job.exit = unavailable(cause)
    }
    for (const job of batch) job.resume(job.exit)
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

  const run = <A, E, R>(useCase: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageUnavailable, R> =>
    Effect.contextWith((context: Context.Context<R>) => {
      const job = () => Effect.runSyncExitWith(context)(useCase)
      return Effect.uninterruptible(Effect.callback<A, E | StorageUnavailable>((resume) => {
        const settled = (exit: Exit.Exit<unknown, unknown>) => resume(exit as Exit.Exit<A, E | StorageUnavailable>)
        queue.push({ run: job, resume: settled, exit: unavailable("the job was not run") })
        if (!armed) arm()
      }))
    })
  return Transaction.of({ run })
})

/** The one door for writes once the service answers requests. */
export const layer: Layer.Layer<Transaction, never, Database> = Layer.effect(Transaction, make)
