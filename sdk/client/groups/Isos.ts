import type { ActionResult } from "#contract/Instance"
import type { Iso, MountIso } from "#contract/Isos"
import type { ApiPromise } from "../promise/ApiPromise.ts"
import type { Client } from "../Client.ts"
import type { CallOptions } from "../options/Options.ts"
import type { Run } from "../promise/Run.ts"

/** The ISO library and an instance's virtual drive. */
export class Isos {
  readonly #core: Client["isos"]
  readonly #run: Run
  constructor(core: Client["isos"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** The images that can be mounted, and which one is. */
  list(id: number, options?: CallOptions): ApiPromise<ReadonlyArray<Iso>> {
    return this.#run(this.#core.list(id, options))
  }

  /** Puts an image into the virtual drive. */
  mount(id: number, body: MountIso, options?: CallOptions): ApiPromise<ActionResult> {
    return this.#run(this.#core.mount(id, body, options))
  }

  /** Empties the virtual drive. */
  unmount(id: number, options?: CallOptions): ApiPromise<ActionResult> {
    return this.#run(this.#core.unmount(id, options))
  }
}
