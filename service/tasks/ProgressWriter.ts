/** How far tasks are, told to the feed: a write for every poll of every task would be a commit for each. */
import * as Effect from "effect/Effect"
import { Limits } from "../config/Limits.ts"
import type { Task } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import * as ConditionVariable from "../runtime/ConditionVariable.ts"

type Noted = Pick<Task, "fence"> & { readonly percent: number }

export class ProgressWriter {
  private readonly noted = new Map<number, Noted>()
  private readonly changed = ConditionVariable.make()

  /** 0 is what the feed says anyway. */
  readonly record = ({ fence, id }: Task, percent: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (percent === 0) return Effect.void
      this.noted.set(id, { fence, percent })
      return this.noted.size === 1 ? this.changed.notifyAll : Effect.void
    })

  private readonly some: Effect.Effect<void> = Effect.flatMap(
    this.changed.version,
    (mark) => Effect.suspend(() => this.noted.size > 0 ? Effect.void : this.changed.waitSince(mark))
  )

  /** Waits until something was noted, and writes all that was noted within a while, in one transaction. */
  readonly flush = Effect.gen({ self: this }, function*() {
    yield* this.some
    yield* Effect.sleep((yield* Limits).PROGRESS_MILLIS)
    const told = [...this.noted]
    this.noted.clear()
    const tasks = yield* Tasks
    // That of a task which has ended, or was taken over, is dropped by its fence.
    const write = Effect.forEach(told, ([id, { fence, percent }]) => tasks.setProgress(id, fence, percent), {
      discard: true
    })
    // A progress that cannot be written is not worth a word: the next one says more.
    yield* Effect.ignore((yield* Transaction).run(write))
  })
}
