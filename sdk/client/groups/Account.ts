import type { ServiceInfo, Whoami } from "#contract/Account"
import type { ApiPromise } from "../promise/ApiPromise.ts"
import type { Client } from "../Client.ts"
import type { CallOptions } from "../options/Options.ts"
import type { Run } from "../promise/Run.ts"

/** The service, and who the API key is. */
export class Account {
  readonly #core: Client["account"]
  readonly #run: Run
  constructor(core: Client["account"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** Describes the service. */
  root(options?: CallOptions): ApiPromise<ServiceInfo> {
    return this.#run(this.#core.root(options))
  }

  /** The account and the scopes behind the API key. */
  whoami(options?: CallOptions): ApiPromise<Whoami> {
    return this.#run(this.#core.whoami(options))
  }
}
