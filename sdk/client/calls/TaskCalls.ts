/** The whole activity feed, page by page. */
import type { Task, TaskPage } from "#contract/Monitoring"
import * as Effect from "effect/Effect"
import { TASKS_PAGE } from "../options/Limits.ts"
import type { CallOptions, TasksIteration } from "../options/Options.ts"
import type { ApiResponse } from "../chain/Request.ts"
import type { Call, Caller } from "./Caller.ts"
import { monitoringCalls } from "./Calls.ts"

/** A page each time it is run; an empty one is the end. */
export type Pages = Call<ReadonlyArray<Task>>

export const taskCalls = (call: Caller) => {
  const { tasks } = monitoringCalls(call)
  return {
    /** From the newest task on. Each call of this begins anew. */
    pages: (id: number, { offset = 0, pageSize = TASKS_PAGE }: TasksIteration = {}, options?: CallOptions): Pages => {
      const walk = new Walk(offset)
      const next: Pages = Effect.suspend(() => {
        if (walk.end !== undefined) return Effect.succeed({ ...walk.end, data: [] })
        return Effect.flatMap(tasks(id, { limit: pageSize, offset: walk.offset }, options), (answer) => {
          const fresh = walk.take(answer)
          // A page that held nothing new is not the end.
          return fresh.length > 0 ? Effect.succeed({ ...answer, data: fresh }) : next
        })
      })
      return next
    }
  }
}

class Walk {
  offset: number
  /** The answer that held the last page. */
  end: ApiResponse<TaskPage> | undefined
  readonly #seen = new Set<number>()

  constructor(offset: number) {
    this.offset = offset
  }

  /** What is new in a page: a task that begins meanwhile pushes those behind it onto the next page once more. */
  take(answer: ApiResponse<TaskPage>): ReadonlyArray<Task> {
    const { items, total } = answer.data
    this.offset += items.length
    if (items.length === 0 || this.offset >= total) this.end = answer
    const fresh = items.filter(({ id }) => !this.#seen.has(id))
    for (const { id } of fresh) this.#seen.add(id)
    return fresh
  }
}
