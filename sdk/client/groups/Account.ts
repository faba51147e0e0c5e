import type { ServiceInfo, Whoami } from "#contract/Account"
import type { CallPromise } from "../CallPromise.ts"
import type { Core } from "../Core.ts"
import type { CallOptions } from "../Options.ts"
import type { Run } from "../Run.ts"

/** The service, and who the API key is. */
export class Account {
  readonly #core: Core["account"]
  readonly #run: Run
  constructor(core: Core["account"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** Describes the service. */
  root(options?: CallOptions): CallPromise<ServiceInfo> {
    return this.#run(this.#core.root(options))
  }

  /** The account and the scopes behind the API key. */
  whoami(options?: CallOptions): CallPromise<Whoami> {
    return this.#run(this.#core.whoami(options))
  }
}
