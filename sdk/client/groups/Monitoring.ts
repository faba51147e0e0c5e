import type { LiveStatus, Metrics, TaskPage } from "#contract/Monitoring"
import type { AvailablePlan } from "#contract/Services"
import type { ApiPromise } from "../promise/ApiPromise.ts"
import type { Client } from "../Client.ts"
import type { CallOptions, MetricsQuery, TasksQuery } from "../options/Options.ts"
import type { Run } from "../promise/Run.ts"

/** What an instance does and has done, and where it could be resized to. */
export class Monitoring {
  readonly #core: Client["monitoring"]
  readonly #run: Run
  constructor(core: Client["monitoring"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** The live status: power, boot mode, open task, snapshots used, and the newest sample. */
  status(id: number, options?: CallOptions): ApiPromise<LiveStatus> {
    return this.#run(this.#core.status(id, options))
  }

  /** Usage samples: bytes and bytes per second, in steps of 10 s (`1h`, the default) to 6 h (`30d`). */
  metrics(id: number, query?: MetricsQuery, options?: CallOptions): ApiPromise<Metrics> {
    return this.#run(this.#core.metrics(id, query, options))
  }

  /** The activity feed, newest first. */
  tasks(id: number, query?: TasksQuery, options?: CallOptions): ApiPromise<TaskPage> {
    return this.#run(this.#core.tasks(id, query, options))
  }

  /** The plans it can be resized to, with what a resize now would charge; 400 for a dedicated server. */
  availablePlans(id: number, options?: CallOptions): ApiPromise<ReadonlyArray<AvailablePlan>> {
    return this.#run(this.#core.availablePlans(id, options))
  }
}
