/** The Promise client: the calls of Core, run. It has no logic of its own. */
import * as Effect from "effect/Effect"
import { type Client, makeClient } from "./Client.ts"
import { Account } from "./groups/Account.ts"
import { Backups } from "./groups/Backups.ts"
import { Instances } from "./groups/Instances.ts"
import { Isos } from "./groups/Isos.ts"
import { Monitoring } from "./groups/Monitoring.ts"
import { Power } from "./groups/Power.ts"
import { Rescue } from "./groups/Rescue.ts"
import { Services } from "./groups/Services.ts"
import { Snapshots } from "./groups/Snapshots.ts"
import { Tasks } from "./groups/Tasks.ts"
import type { ClientOptions } from "./options/Options.ts"
import { run } from "./promise/Run.ts"

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
  /** What an instance does and has done. */
  readonly monitoring: Monitoring
  /** The activity feed as a whole. */
  readonly tasks: Tasks
  /** Power on, power off, reboot. */
  readonly power: Power
  /** Snapshots of an instance's disk. */
  readonly snapshots: Snapshots
  /** Nightly backups of an instance's disk. */
  readonly backups: Backups
  /** The ISO library and the virtual drive. */
  readonly isos: Isos
  /** Rescue mode. */
  readonly rescue: Rescue
  readonly #core: Client

  /** Never fails: a missing or wrong setting is a `ConfigurationError` of the first call. */
  constructor(options: ClientOptions = {}) {
    const core = makeClient(options)
    this.#core = core
    this.account = new Account(core.account, run)
    this.services = new Services(core.services, run)
    this.instances = new Instances(core.instances, run)
    this.monitoring = new Monitoring(core.monitoring, run)
    this.tasks = new Tasks(core.tasks, run)
    this.power = new Power(core.power, run)
    this.snapshots = new Snapshots(core.snapshots, run)
    this.backups = new Backups(core.backups, run)
    this.isos = new Isos(core.isos, run)
    this.rescue = new Rescue(core.rescue, run)
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
