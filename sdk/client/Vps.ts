/** The Promise client: the calls of Core, run. It has no logic of its own. */
import * as Effect from "effect/Effect"
import { type Core, makeCore } from "./Core.ts"
import { Account, Instances, Monitoring, Power, Services } from "./Groups.ts"
import type { ClientOptions } from "./Options.ts"
import { run } from "./Run.ts"

/**
 * A client of the VPS service.
 *
 * Every call returns a promise of the data; `.withResponse()` on it gives status, headers and request id too.
 * Calls that may be repeated are: see `maxRetries`. Failures are `VpsError`s, one class per status.
 *
 * @example
 * const vps = new Vps({ apiKey: "vps_live_...", baseUrl: "https://host/api/v1" })
 * const [plan] = await vps.services.list()
 * const instance = await vps.instances.createAndWait({ service_id: plan.id, hostname: "web.example.com" })
 * console.log(instance.ipv4)
 */
export class Vps {
  /** The service, and who the API key is. */
  readonly account: Account
  /** Plans and their images. */
  readonly services: Services
  /** Buying, reading and changing instances. */
  readonly instances: Instances
  /** What an instance has done. */
  readonly monitoring: Monitoring
  /** Power on, power off, reboot. */
  readonly power: Power
  readonly #core: Core

  /** Never fails: a missing or wrong setting is a `ConfigurationError` of the first call. */
  constructor(options: ClientOptions = {}) {
    const core = makeCore(options)
    this.#core = core
    this.account = new Account(core.account, run)
    this.services = new Services(core.services, run)
    this.instances = new Instances(core.instances, run)
    this.monitoring = new Monitoring(core.monitoring, run)
    this.power = new Power(core.power, run)
  }

  /**
   * Lets calls under way finish, closes the connections and refuses later calls.
   * A program ends without it too: idle connections hold nothing open.
   */
  close(): Promise<void> {
    return Effect.runPromise(this.#core.close)
  }

  /** `await using vps = new Vps()` closes it at the end of the block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
