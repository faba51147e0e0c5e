import type { Task } from "../Records.ts"
import type { Client } from "../Client.ts"
import type { CallOptions, TasksIteration } from "../options/Options.ts"
import type { Tasks } from "./Groups.ts"
import { run } from "./Promised.ts"

/** The whole activity feed of an instance. `monitoring.tasks` reads one page of it. */
export class TaskPages implements Tasks {
  readonly #client: Client["tasks"]

  constructor(client: Client["tasks"]) {
    this.#client = client
  }

  /**
   * Iterates over every task of an instance, newest first, each once. Requests a page only when the previous one is
   * used up, so leaving the loop early sends no further requests.
   *
   * @example
   * for await (const task of vps.tasks.iterate(42)) {
   *   if (task.status === "failed") console.log(task.created_at, task.type, task.error)
   * }
   */
  async *iterate(id: number, query?: TasksIteration, options?: CallOptions): AsyncGenerator<Task, void, void> {
    const pages = this.#client.pages(id, query, options)
    for (let page = await run(pages); page.length > 0; page = await run(pages)) yield* page
  }
}
