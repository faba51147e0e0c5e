/**
 * Tasks that this process inserts already claimed: under a lease of its own worker, which then starts them without a
 * search of the queue. If the process ends before that, their lease does, and any worker takes them over.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ConditionVariable from "../runtime/ConditionVariable.ts"
import { queueing, WorkerLease, type WorkerNotifier } from "../runtime/WorkerNotifier.ts"

/** The conditions under which the worker accepts tasks. */
export interface Terms {
  /** Tasks that run in the background at once. */
  readonly limit: number
  /** Milliseconds. */
  readonly lease: number
}

export class Handover {
  private terms: Terms | undefined
  private ids: Array<number> = []
  /** Slots of the worker that are taken by transactions, and by tasks that wait to be started. */
  private reserved = 0
  private readonly added = ConditionVariable.make()
  private readonly running: Effect.Effect<number>

  /** `running` is the number of tasks that run in the background. */
  constructor(running: Effect.Effect<number>) {
    this.running = running
  }

  /** Running tasks, and those that will run soon. */
  readonly taken: Effect.Effect<number> = Effect.suspend(() => Effect.map(this.running, (size) => size + this.reserved))

  /** From now on the worker starts what is handed over; without terms, tasks are queued. */
  readonly accept = (terms: Terms | undefined): Effect.Effect<void> => Effect.sync(() => void (this.terms = terms))

  /** See `WorkerNotifier.commit`; `notify` runs for a task that is queued. */
  readonly committing = (notify: Effect.Effect<void>): WorkerNotifier["Service"]["commit"] => (transaction, taskOf) =>
    Effect.flatMap(this.taken, (taken) => {
      const { terms } = this
      if (terms === undefined || taken >= terms.limit) return queueing(notify).commit(transaction, taskOf)
      this.reserved++
      return transaction.pipe(
        Effect.provideService(WorkerLease, terms.lease),
        Effect.onExit((exit) => this.hand(Exit.isSuccess(exit) ? taskOf(exit.value) : null))
      )
    })

  /** Completes when a task waits to be started. */
  readonly awaitSome: Effect.Effect<void> = Effect.flatMap(
    this.added.version,
    (version) => Effect.suspend(() => this.ids.length > 0 ? Effect.void : this.added.waitSince(version))
  )

  /** Takes the ids of the tasks that wait to be started. */
  readonly take: Effect.Effect<ReadonlyArray<number>> = Effect.sync(() => {
    const taken = this.ids
    this.ids = []
    this.reserved -= taken.length
    return taken
  })

  private hand(id: number | null): Effect.Effect<void> {
    if (id === null) return Effect.sync(() => void this.reserved--)
    this.ids.push(id)
    return this.added.notifyAll
  }
}
