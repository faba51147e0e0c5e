import type {
  ActionResult,
  CreateInstance,
  DryRun,
  HostnameResult,
  Instance,
  RdnsResult,
  Reinstall,
  ResetPasswordResult,
  Resize,
  ResizeResult
} from "#contract/Instance"
import type { LiveStatus } from "#contract/Monitoring"
import type { ApiPromise } from "../promise/ApiPromise.ts"
import type { Client } from "../Client.ts"
import type { CallOptions, CreateAndWaitOptions, CreateOptions, IdleProgress, WaitOptions } from "../options/Options.ts"
import type { Run } from "../promise/Run.ts"

/** Buying, reading and changing instances. */
export class Instances {
  readonly #core: Client["instances"]
  readonly #run: Run
  constructor(core: Client["instances"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** The account's instances. */
  list(options?: CallOptions): ApiPromise<ReadonlyArray<Instance>> {
    return this.#run(this.#core.list(options))
  }

  /** One instance; 404 also when it belongs to another account. */
  get(id: number, options?: CallOptions): ApiPromise<Instance> {
    return this.#run(this.#core.get(id, options))
  }

  /**
   * Buys an instance: charges the wallet, and answers before the machine is deployed (see `createAndWait`).
   * All attempts of one call send one idempotency key, so it buys once at most. Every error carries the key:
   * the same call with it goes on where this one stopped.
   *
   * @example
   * const instance = await vps.instances.create({ service_id: 1 }, { idempotencyKey: "web-1" })
   */
  create(body: CreateInstance, options?: CreateOptions): ApiPromise<Instance> {
    return this.#run(this.#core.create(body, options))
  }

  /**
   * What a create would charge, and whether the wallet covers it; buys nothing.
   * With `idempotencyKey`: what a create with that key would do.
   */
  dryRun(body: CreateInstance, options?: CreateOptions): ApiPromise<DryRun> {
    return this.#run(this.#core.dryRun(body, options))
  }

  /**
   * Buys an instance and waits until it is deployed: `provider_id` and `ipv4` are there.
   * An error after the purchase carries `instanceId` and `idempotencyKey`; `waitUntilDeployed` goes on waiting.
   * The response of `withResponse()` is that of the create.
   *
   * @example
   * const instance = await vps.instances.createAndWait({ service_id: 1, os: "debian-12" }, {
   *   onProgress: ({ instance, elapsed }) => console.log(instance.status, elapsed)
   * })
   */
  createAndWait(body: CreateInstance, options?: CreateAndWaitOptions): ApiPromise<Instance> {
    return this.#run(this.#core.createAndWait(body, options))
  }

  /**
   * Waits until an instance is deployed. Polls at once, then after 1 s, growing to 10 s, 10 minutes at most.
   * Fails with `ProvisioningFailedError` when it never will be, with `WaitTimeoutError` when it takes too long.
   */
  waitUntilDeployed(id: number, options?: WaitOptions): ApiPromise<Instance> {
    return this.#run(this.#core.waitUntilDeployed(id, options))
  }

  /**
   * Waits until `until` says so of the instance's record; polls as `waitUntilDeployed` does. What `until` throws ends
   * the wait with a `CallbackError`.
   *
   * @example
   * await vps.instances.waitUntil(42, ({ status }) => status === "stopped")
   */
  waitUntil(id: number, until: (instance: Instance) => boolean, options?: WaitOptions): ApiPromise<Instance> {
    return this.#run(this.#core.waitUntil(id, until, options))
  }

  /**
   * Waits until no task is open and the status has settled; one that this client does not know counts as busy.
   * Answers the live status then: whether the instance is `running`, `stopped` or `failed` is yours to look at.
   *
   * @example
   * await vps.power.stop(42)
   * await vps.instances.waitUntilIdle(42, { waitTimeout: 120_000 })
   */
  waitUntilIdle(id: number, options?: WaitOptions<IdleProgress>): ApiPromise<LiveStatus> {
    return this.#run(this.#core.waitUntilIdle(id, options))
  }

  /**
   * Installs an image anew: everything on the disk is lost. `password` is not shown again.
   * Never repeated after a lost answer: look at the activity feed before asking again.
   *
   * @example
   * await vps.instances.reinstall(42, { os: "debian-13", ssh_pubkey: "ssh-ed25519 AAAA..." })
   */
  reinstall(id: number, body: Reinstall, options?: CallOptions): ApiPromise<ActionResult> {
    return this.#run(this.#core.reinstall(id, body, options))
  }

  /** Sets a new root password and gives it, once. Never repeated after a lost answer. */
  resetPassword(id: number, options?: CallOptions): ApiPromise<ResetPasswordResult> {
    return this.#run(this.#core.resetPassword(id, options))
  }

  /** Sets the hostname. 409 with `retryAfter` while another task runs. */
  hostname(id: number, body: { readonly hostname: string }, options?: CallOptions): ApiPromise<HostnameResult> {
    return this.#run(this.#core.hostname(id, body, options))
  }

  /** Sets the reverse DNS (PTR) record of one of the instance's addresses. */
  rdns(
    id: number,
    body: { readonly ip: string; readonly ptr: string },
    options?: CallOptions
  ): ApiPromise<RdnsResult> {
    return this.#run(this.#core.rdns(id, body, options))
  }

  /**
   * Changes the plan, in place. An upgrade is charged for the rest of the cycle at once (402 when the wallet does not
   * cover it), a downgrade refunds nothing; `availablePlans` tells the charge before. 409 on the plan it already has.
   */
  resize(id: number, body: Resize, options?: CallOptions): ApiPromise<ResizeResult> {
    return this.#run(this.#core.resize(id, body, options))
  }
}
