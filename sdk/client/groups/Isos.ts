import type { ActionResult } from "#contract/Instance"
import type { Iso, MountIso } from "#contract/Isos"
import type { CallPromise } from "../CallPromise.ts"
import type { Core } from "../Core.ts"
import type { CallOptions } from "../Options.ts"
import type { Run } from "../Run.ts"

/** The ISO library and an instance's virtual drive. */
export class Isos {
  readonly #core: Core["isos"]
  readonly #run: Run
  constructor(core: Core["isos"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** The images that can be mounted, and which one is. */
  list(id: number, options?: CallOptions): CallPromise<ReadonlyArray<Iso>> {
    return this.#run(this.#core.list(id, options))
  }

  /** Puts an image into the virtual drive. */
  mount(id: number, body: MountIso, options?: CallOptions): CallPromise<ActionResult> {
    return this.#run(this.#core.mount(id, body, options))
  }

  /** Empties the virtual drive. */
  unmount(id: number, options?: CallOptions): CallPromise<ActionResult> {
    return this.#run(this.#core.unmount(id, options))
  }
}
