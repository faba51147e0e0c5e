import type { LiveStatus } from "#contract/Monitoring"
import type { RescueResult } from "#contract/Rescue"
import type { ApiPromise } from "../promise/ApiPromise.ts"
import type { Client } from "../Client.ts"
import type { CallOptions, IdleProgress, WaitOptions } from "../options/Options.ts"
import type { Run } from "../promise/Run.ts"

/** Rescue mode: boot from a rescue system, or from the disk again. */
export class Rescue {
  readonly #core: Client["rescue"]
  readonly #run: Run
  constructor(core: Client["rescue"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** Boots the rescue system. `restarted: false`: the mode is set, and the reboot is yours to ask for. */
  enter(id: number, options?: CallOptions): ApiPromise<RescueResult> {
    return this.#run(this.#core.enter(id, options))
  }

  /** Boots from the disk again. `restarted: false`: the mode is set, and the reboot is yours to ask for. */
  exit(id: number, options?: CallOptions): ApiPromise<RescueResult> {
    return this.#run(this.#core.exit(id, options))
  }

  /**
   * Boots the rescue system, and waits until it is there: reboots the instance itself when the host was too busy to
   * (`restarted: false`), and answers the live status when no task is open and `boot_mode` is `rescue`.
   *
   * @example
   * await vps.rescue.enterAndWait(42, { onProgress: ({ status }) => console.log(status) })
   */
  enterAndWait(id: number, options?: WaitOptions<IdleProgress>): ApiPromise<LiveStatus> {
    return this.#run(this.#core.enterAndWait(id, options))
  }

  /** Boots from the disk again, and waits for it as `enterAndWait` does. */
  exitAndWait(id: number, options?: WaitOptions<IdleProgress>): ApiPromise<LiveStatus> {
    return this.#run(this.#core.exitAndWait(id, options))
  }
}
