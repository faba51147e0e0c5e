import type { Task } from "#contract/Monitoring"
import type { Client } from "../Client.ts"
import type { CallOptions, TasksIteration } from "../options/Options.ts"
import type { Run } from "../promise/Run.ts"

/** The activity feed as a whole; `monitoring.tasks` reads one page of it. */
export class Tasks {
  readonly #core: Client["tasks"]
  readonly #run: Run
  constructor(core: Client["tasks"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /**
   * Every task of an instance, newest first, each once. Asks for the next page when the one before is used up,
   * so leaving the loop early asks for no more.
   *
   * @example
   * for await (const task of vps.tasks.iterate(42)) {
   *   if (task.status === "failed") console.log(task.created_at, task.type, task.error)
   * }
   */
  async *iterate(id: number, walk?: TasksIteration, options?: CallOptions): AsyncGenerator<Task, void, void> {
    const pages = this.#core.pages(id, walk, options)
    for (let page = await this.#run(pages); page.length > 0; page = await this.#run(pages)) yield* page
  }
}
