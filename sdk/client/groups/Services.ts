import type { OsOptions, PublicPlan } from "#contract/Services"
import type { ApiPromise } from "../promise/ApiPromise.ts"
import type { Client } from "../Client.ts"
import type { CallOptions } from "../options/Options.ts"
import type { Run } from "../promise/Run.ts"

/** Plans and their images. */
export class Services {
  readonly #core: Client["services"]
  readonly #run: Run
  constructor(core: Client["services"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** The plans that can be bought. */
  list(options?: CallOptions): ApiPromise<ReadonlyArray<PublicPlan>> {
    return this.#run(this.#core.list(options))
  }

  /** The images a plan can run: `slug` is what `os` takes. */
  osOptions(service_id: number, options?: CallOptions): ApiPromise<OsOptions> {
    return this.#run(this.#core.osOptions(service_id, options))
  }
}
