import type { RescueResult } from "#contract/Rescue"
import type { CallPromise } from "../CallPromise.ts"
import type { Core } from "../Core.ts"
import type { CallOptions } from "../Options.ts"
import type { Run } from "../Run.ts"

/** Rescue mode: boot from a rescue system, or from the disk again. */
export class Rescue {
  readonly #core: Core["rescue"]
  readonly #run: Run
  constructor(core: Core["rescue"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** Boots the rescue system. `restarted: false`: the mode is set, and the reboot is yours to ask for. */
  enter(id: number, options?: CallOptions): CallPromise<RescueResult> {
    return this.#run(this.#core.enter(id, options))
  }

  /** Boots from the disk again. `restarted: false`: the mode is set, and the reboot is yours to ask for. */
  exit(id: number, options?: CallOptions): CallPromise<RescueResult> {
    return this.#run(this.#core.exit(id, options))
  }
}
