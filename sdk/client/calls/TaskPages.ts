/** Reads the whole activity feed page by page. */
import * as Effect from "effect/Effect"
import type { Task, TaskPage } from "../Records.ts"
import type { ApiResponse } from "../chain/ApiResponse.ts"
import type { Call } from "../chain/Handler.ts"
import { TASKS_PAGE } from "../options/Limits.ts"
import type { CallOptions, TasksIteration } from "../options/Options.ts"
import type { Calls } from "./Endpoint.ts"
import type { monitoring } from "./Monitoring.ts"

/** Returns the next page each time it is run; an empty page is the end. */
type Pages = Call<ReadonlyArray<Task>>

export const taskPages = ({ tasks }: Calls<typeof monitoring>) => ({
  /** Starts with the newest task. Each call of this function starts over. */
  pages: (id: number, { offset = 0, pageSize = TASKS_PAGE }: TasksIteration = {}, options?: CallOptions): Pages => {
    const cursor = new Cursor(offset)
    const next: Pages = Effect.suspend(() => {
      if (cursor.last !== undefined) return Effect.succeed({ ...cursor.last, data: [] })
      return Effect.flatMap(tasks(id, { limit: pageSize, offset: cursor.offset }, options), (page) => {
        const unseen = cursor.advance(page)
        // A page without new tasks is not the end.
        return unseen.length > 0 ? Effect.succeed({ ...page, data: unseen }) : next
      })
    })
    return next
  }
})

class Cursor {
  offset: number
  /** The last page, once it has been read. */
  last: ApiResponse<TaskPage> | undefined
  readonly #ids = new Set<number>()

  constructor(offset: number) {
    this.offset = offset
  }

  /** Returns the tasks not yet returned: a task that starts between two pages moves older ones to the next page. */
  advance(page: ApiResponse<TaskPage>): ReadonlyArray<Task> {
    const { items, total } = page.data
    this.offset += items.length
    if (items.length === 0 || this.offset >= total) this.last = page
    const unseen = items.filter(({ id }) => !this.#ids.has(id))
    for (const { id } of unseen) this.#ids.add(id)
    return unseen
  }
}
