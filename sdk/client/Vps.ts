/// <reference lib="esnext.disposable" preserve="true" />
/** The Promise client. Its calls are those of `Client`, run. */
import * as Effect from "effect/Effect"
import { makeClient } from "./Client.ts"
import type { ClientOptions } from "./options/Options.ts"
import type {
  Account,
  Backups,
  Bulk,
  Instances,
  Isos,
  Monitoring,
  Power,
  Rescue,
  Services,
  Snapshots,
  Tasks
} from "./promise/Groups.ts"
import { BulkCalls, promised, TaskPages } from "./promise/Promised.ts"

/**
 * A client of the VPS service.
 *
 * Every call returns a promise of the data. Its `.withResponse()` also returns the status, headers and request ID.
 * Calls that are safe to repeat are retried; see `maxRetries`. Failures are `VpsError`s, with one class per status.
 *
 * @example
 * const vps = new Vps({ apiKey: "vps_live_...", baseUrl: "https://api.example.com/api/v1" })
 * const plan = (await vps.services.list()).find(({ slug }) => slug === "vps-s")
 * if (plan === undefined) throw new Error("Plan vps-s not found")
 * const instance = await vps.instances.createAndWait({ service_id: plan.id, hostname: "web.example.com" })
 * console.log(instance.ipv4)
 */
export class Vps {
  /** The service, and the account of the API key. */
  readonly account: Account
  /** The plans you can buy, and their images. */
  readonly services: Services
  /** Buying, reading and changing instances. */
  readonly instances: Instances
  /** An instance's live status, usage and activity, and the plans it can be resized to. */
  readonly monitoring: Monitoring
  /** The whole activity feed of an instance. `monitoring.tasks` reads one page of it. */
  readonly tasks: Tasks
  /** Power on, power off and reboot. Each call returns immediately; a task does the work. */
  readonly power: Power
  /** Snapshots of an instance's disk. You create and delete them, up to a limit. */
  readonly snapshots: Snapshots
  /** Backups of an instance's disk. The service makes one every night; you restore them. */
  readonly backups: Backups
  /** The ISO library, and an instance's virtual drive. */
  readonly isos: Isos
  /** Rescue mode: booting from a rescue system, and from the disk again. */
  readonly rescue: Rescue
  /** Work on many instances: a bounded number at once, and a result for each. */
  readonly bulk: Bulk
  readonly #close: Effect.Effect<void>

  /** Never throws. A missing or invalid setting is the `ConfigurationError` of the first call. */
  constructor(options: ClientOptions = {}) {
    const client = makeClient(options)
    this.account = promised(client.account)
    this.services = promised(client.services)
    this.instances = promised(client.instances)
    this.monitoring = promised(client.monitoring)
    this.tasks = new TaskPages(client.tasks)
    this.power = promised(client.power)
    this.snapshots = promised(client.snapshots)
    this.backups = promised(client.backups)
    this.isos = promised(client.isos)
    this.rescue = promised(client.rescue)
    this.bulk = new BulkCalls(client.bulk)
    this.#close = client.close
  }

  /**
   * Lets running calls finish, closes the connections and refuses later calls.
   * A program can also exit without it: idle connections do not keep the process alive.
   */
  close(): Promise<void> {
    return Effect.runPromise(this.#close)
  }

  /** `await using vps = new Vps()` closes the client at the end of the block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
