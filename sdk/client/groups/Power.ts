import type { ActionResult } from "#contract/Instance"
import type { ApiPromise } from "../promise/ApiPromise.ts"
import type { Client } from "../Client.ts"
import type { CallOptions } from "../options/Options.ts"
import type { Run } from "../promise/Run.ts"

/** Power on, power off, reboot: each answers at once, its task does the work. */
export class Power {
  readonly #core: Client["power"]
  readonly #run: Run
  constructor(core: Client["power"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** Powers on; does nothing when it runs. */
  start(id: number, options?: CallOptions): ApiPromise<ActionResult> {
    return this.#run(this.#core.start(id, options))
  }

  /** Powers off; does nothing when it is off. */
  stop(id: number, options?: CallOptions): ApiPromise<ActionResult> {
    return this.#run(this.#core.stop(id, options))
  }

  /** Reboots; starts it when it is off. */
  restart(id: number, options?: CallOptions): ApiPromise<ActionResult> {
    return this.#run(this.#core.restart(id, options))
  }
}
