import type { OsOptions, PublicPlan } from "#contract/Services"
import type { CallPromise } from "../CallPromise.ts"
import type { Core } from "../Core.ts"
import type { CallOptions } from "../Options.ts"
import type { Run } from "../Run.ts"

/** Plans and their images. */
export class Services {
  readonly #core: Core["services"]
  readonly #run: Run
  constructor(core: Core["services"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** The plans that can be bought. */
  list(options?: CallOptions): CallPromise<ReadonlyArray<PublicPlan>> {
    return this.#run(this.#core.list(options))
  }

  /** The images a plan can run: `slug` is what `os` takes. */
  osOptions(service_id: number, options?: CallOptions): CallPromise<OsOptions> {
    return this.#run(this.#core.osOptions(service_id, options))
  }
}
