/** The tasks that this process has claimed, each under a lease with a fence number, with the fiber that executes it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { ReplicaBus } from "../persistence/ReplicaBus.ts"
import type { Task } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import * as ConditionVariable from "../runtime/ConditionVariable.ts"

/** By id, so that transactions do not wait for each other in a circle. */
const inOrder = <A>(held: ReadonlyMap<number, A>): ReadonlyArray<readonly [id: number, A]> =>
  [...held].toSorted(([one], [other]) => one - other)

export class TaskLeases {
  private readonly held = new Map<number, { readonly fence: number; readonly fiber: Fiber.Fiber<unknown, unknown> }>()
  private readonly added = ConditionVariable.make()

  /** Executes a task that was just claimed. */
  readonly hold = <R>(task: Task, execution: Effect.Effect<void, never, R>): Effect.Effect<void, never, R> =>
    Effect.withFiber((fiber) => {
      const previous = this.held.get(task.id)
      this.held.set(task.id, { fence: task.fence, fiber })
      const release = Effect.sync(() => {
        if (this.held.get(task.id)?.fiber === fiber) this.held.delete(task.id)
      })
      // Our own lease expired and we claimed the task again: the older execution has to stop.
      const first = previous === undefined ? this.added.notifyAll : Fiber.interrupt(previous.fiber)
      return Effect.andThen(first, Effect.ensuring(execution, release))
    })

  /** Completes when there is a lease to extend. */
  readonly awaitSome: Effect.Effect<void> = Effect.flatMap(
    this.added.version,
    (version) => Effect.suspend(() => this.held.size > 0 ? Effect.void : this.added.waitSince(version))
  )

  /** Extends all leases, and stops the execution of tasks whose lease is lost. */
  readonly extend = (leaseUntil: number) =>
    Effect.gen({ self: this }, function*() {
      const held = inOrder(this.held)
      if (held.length === 0) return
      const tasks = yield* Tasks
      const lost = yield* (yield* Transaction).runWriting(
        Effect.filter(
          held,
          ([id, { fence }]) => Effect.map(tasks.extendLease(id, fence, leaseUntil), (extended) => !extended)
        )
      )
      yield* Fiber.interruptAll(lost.map(([, { fiber }]) => fiber))
    })

  /** Stops all executions and ends the leases, so that the next process need not wait for them to expire. */
  readonly release = Effect.gen({ self: this }, function*() {
    const held = inOrder(this.held)
    const tasks = yield* Tasks
    const now = yield* Clock.currentTimeMillis
    yield* Fiber.interruptAll(held.map(([, { fiber }]) => fiber))
    yield* (yield* Transaction).runWriting(
      Effect.forEach(held, ([id, { fence }]) => tasks.extendLease(id, fence, now), { discard: true })
    )
    yield* (yield* ReplicaBus).publish("tasks")
  })
}
