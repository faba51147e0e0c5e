import type { ActionResult } from "#contract/Instance"
import type { CallPromise } from "../CallPromise.ts"
import type { Core } from "../Core.ts"
import type { CallOptions } from "../Options.ts"
import type { Run } from "../Run.ts"

/** Power on, power off, reboot: each answers at once, its task does the work. */
export class Power {
  readonly #core: Core["power"]
  readonly #run: Run
  constructor(core: Core["power"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** Powers on; does nothing when it runs. */
  start(id: number, options?: CallOptions): CallPromise<ActionResult> {
    return this.#run(this.#core.start(id, options))
  }

  /** Powers off; does nothing when it is off. */
  stop(id: number, options?: CallOptions): CallPromise<ActionResult> {
    return this.#run(this.#core.stop(id, options))
  }

  /** Reboots; starts it when it is off. */
  restart(id: number, options?: CallOptions): CallPromise<ActionResult> {
    return this.#run(this.#core.restart(id, options))
  }
}
