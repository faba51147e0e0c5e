/** The groups of the Promise client. Wire names are kept: bodies and answers are as the interface says. */
import type { ServiceInfo, Whoami } from "#contract/Account"
import type { ActionResult, CreateInstance, DryRun, HostnameResult, Instance, RdnsResult } from "#contract/Instance"
import type { TaskPage } from "#contract/Monitoring"
import type { OsOptions, PublicPlan } from "#contract/Services"
import type { CallPromise } from "./CallPromise.ts"
import type { Core } from "./Core.ts"
import type { CallOptions, CreateAndWaitOptions, CreateOptions, TasksQuery, WaitOptions } from "./Options.ts"
import type { Run } from "./Run.ts"

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

/** Buying, reading and changing instances. */
export class Instances {
  readonly #core: Core["instances"]
  readonly #run: Run
  constructor(core: Core["instances"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** The account's instances. */
  list(options?: CallOptions): CallPromise<ReadonlyArray<Instance>> {
    return this.#run(this.#core.list(options))
  }

  /** One instance; 404 also when it belongs to another account. */
  get(id: number, options?: CallOptions): CallPromise<Instance> {
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
  create(body: CreateInstance, options?: CreateOptions): CallPromise<Instance> {
    return this.#run(this.#core.create(body, options))
  }

  /**
   * What a create would charge, and whether the wallet covers it; buys nothing.
   * With `idempotencyKey`: what a create with that key would do.
   */
  dryRun(body: CreateInstance, options?: CreateOptions): CallPromise<DryRun> {
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
  createAndWait(body: CreateInstance, options?: CreateAndWaitOptions): CallPromise<Instance> {
    return this.#run(this.#core.createAndWait(body, options))
  }

  /**
   * Waits until an instance is deployed. Polls at once, then after 1 s, growing to 10 s, 10 minutes at most.
   * Fails with `ProvisioningFailedError` when it never will be, with `WaitTimeoutError` when it takes too long.
   */
  waitUntilDeployed(id: number, options?: WaitOptions): CallPromise<Instance> {
    return this.#run(this.#core.waitUntilDeployed(id, options))
  }

  /** Sets the hostname. 409 with `retryAfter` while another task runs. */
  hostname(id: number, body: { readonly hostname: string }, options?: CallOptions): CallPromise<HostnameResult> {
    return this.#run(this.#core.hostname(id, body, options))
  }

  /** Sets the reverse DNS (PTR) record of one of the instance's addresses. */
  rdns(
    id: number,
    body: { readonly ip: string; readonly ptr: string },
    options?: CallOptions
  ): CallPromise<RdnsResult> {
    return this.#run(this.#core.rdns(id, body, options))
  }
}

/** What an instance has done. */
export class Monitoring {
  readonly #core: Core["monitoring"]
  readonly #run: Run
  constructor(core: Core["monitoring"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** The activity feed, newest first. */
  tasks(id: number, query?: TasksQuery, options?: CallOptions): CallPromise<TaskPage> {
    return this.#run(this.#core.tasks(id, query, options))
  }
}

/** Power on, power off, reboot: each answers at once, its task does the work. */
export class Power {
  readonly #core: Core["power"]
  readonly #run: Run
  constructor(core: Core["power"], run: Run) {
    this.#core = core
    this.#run = run
  }

  /** Powers on; does nothing when it runs. */
  start(id: number, options?: CallOptions): CallPromise<ActionResult> {
    return this.#run(this.#core.start(id, options))
  }

  /** Powers off; does nothing when it is off. */
  stop(id: number, options?: CallOptions): CallPromise<ActionResult> {
    return this.#run(this.#core.stop(id, options))
  }

  /** Reboots; starts it when it is off. */
  restart(id: number, options?: CallOptions): CallPromise<ActionResult> {
    return this.#run(this.#core.restart(id, options))
  }
}
