/** The calls that combine several requests. */
import * as Effect from "effect/Effect"
import type { Call, WaitCall } from "../chain/Transport.ts"
import type { Balance, BulkResult } from "../Results.ts"
import type { ApiResponse } from "../chain/ApiResponse.ts"
import { ArgumentError, DecodeError, withInstance } from "../errors/Errors.ts"
import type {
  BulkCreateOptions,
  BulkOptions,
  CallOptions,
  CreateAndWaitOptions,
  IdleProgress,
  TasksIteration,
  WaitOptions
} from "../options/Options.ts"
import type { Calls } from "./Endpoint.ts"
import type { instances } from "./Instances.ts"
import type { monitoring, power, rescue, services } from "./Endpoints.ts"
import type { CreateInstance, Instance, LiveStatus, Task, TaskPage } from "../Records.ts"
import type { AnyHost } from "../AnyHost.ts"
import { rawOf, type View } from "../host/View.ts"
import {
  booted,
  type BootMode,
  condition,
  deployed,
  idle,
  isDeployed,
  isUnrecoverable,
  problemWithWait,
  provisioningFailed,
  waitFor,
  waitForIdle
} from "../wait/Wait.ts"
import type { PollScheduler } from "../wait/PollScheduler.ts"
import { BULK_CONCURRENCY, CONNECTIONS_MAX, TASKS_PAGE } from "../options/Limits.ts"
import type { WaitFailure } from "../errors/ApiErrors.ts"

/** The calls of `account` that combine others. */
export const accountBalance = (
  { list }: AnyHost<Calls<typeof services>>,
  { dryRun }: AnyHost<Calls<typeof instances>>
) => ({
  /**
   * Returns the balance of the wallet, `wallet_balance`, and its currency. The API reports it with the price of a plan,
   * so this sends a dry run of a create, which buys nothing. Needs a key that may create.
   *
   * @example
   * const { currency, wallet_balance } = await vps.account.balance()
   * if (wallet_balance < 50) console.log(`Top up the wallet: ${wallet_balance} ${currency} left`)
   */
  balance: (options?: CallOptions): Call<Balance> =>
    Effect.flatMap(list(options), ({ data: [plan], response: { requestId, status } }) => {
      if (plan === undefined) {
        const problem = "the service lists no plan, and reports the balance only with the price of one"
        return Effect.fail(new DecodeError(status, problem, { method: "GET", path: "/services", requestId }))
      }
      return Effect.map(dryRun({ service_id: plan.id }, options), ({ data, response }) => ({
        data: { wallet_balance: data.wallet_balance, currency: data.currency },
        response
      }))
    })
})

/** The calls of `instances` that poll until an instance has reached a state. */
export const instanceWaits = (
  { create, get }: AnyHost<Calls<typeof instances>>,
  { status }: AnyHost<Calls<typeof monitoring>>,
  scheduler: PollScheduler
) => ({
  /**
   * Buys an instance and waits until it is deployed, that is, until it has `provider_id` and `ipv4`.
   * An error after the purchase carries `instanceId` and `idempotencyKey`; `waitUntilDeployed` continues the wait.
   * `withResponse()` returns the response of the create.
   *
   * @example
   * const instance = await vps.instances.createAndWait({ service_id: 1, os: "debian-12" }, {
   *   onProgress: ({ instance, elapsed }) => console.log(instance.status, elapsed)
   * })
   * console.log(instance.ipv4)
   */
  createAndWait: (body: CreateInstance, options: CreateAndWaitOptions = {}): WaitCall<Instance> => {
    const problem = problemWithWait(options)
    if (problem !== undefined) return Effect.fail(problem)
    return Effect.flatMap(create(body, options), (created) => waitForCreated(created, get, scheduler, options))
  },

  ...recordWaits(get, scheduler),

  /**
   * Waits until the instance has no open task and its status is no longer changing. Returns the live status, which may
   * be `running`, `stopped` or `failed`: check which one it is. With a host that shows no tasks, or other statuses, the
   * wait ends when the status has been the same for some time; `sign` in the progress says so.
   *
   * @example
   * await vps.power.stop(42)
   * await vps.instances.waitUntilIdle(42, { waitTimeout: 120_000 })
   */
  waitUntilIdle: (id: number, options: WaitOptions<IdleProgress> = {}): WaitCall<LiveStatus> =>
    waitForIdle(idle(id, status, get), scheduler, options)
})

type Get = AnyHost<Calls<typeof instances>>["get"]

/** The waits that look at the record of an instance. */
const recordWaits = (get: Get, scheduler: PollScheduler) => ({
  /**
   * Waits until an instance is deployed. Polls immediately, again after 1 s, and then at intervals that grow to 10 s.
   * Fails with `ProvisioningFailedError` if the instance can no longer be deployed, and with `WaitTimeoutError` after
   * 10 minutes by default.
   *
   * @example
   * const { id } = await vps.instances.create({ service_id: 1 })
   * const { ipv4 } = await vps.instances.waitUntilDeployed(id, { waitTimeout: 300_000 })
   * console.log(ipv4)
   */
  waitUntilDeployed: (id: number, options: WaitOptions = {}): WaitCall<Instance> =>
    waitFor(deployed({ id }, get), scheduler, options),

  /**
   * Waits until `until` returns `true` for the instance. Polls like `waitUntilDeployed`. If `until` throws, the wait
   * fails with a `CallbackError`.
   *
   * @example
   * await vps.instances.waitUntil(42, ({ status }) => status === "stopped")
   */
  waitUntil: (id: number, until: (instance: Instance) => boolean, options: WaitOptions = {}): WaitCall<Instance> =>
    waitFor(condition(id, until, get), scheduler, options)
})

const waitForCreated = (
  { data: instance, response }: ApiResponse<Instance>,
  get: Get,
  scheduler: PollScheduler,
  options: WaitOptions
): WaitCall<Instance> => {
  const { idempotencyKey } = response
  if (isUnrecoverable(instance)) {
    return Effect.fail(withInstance(provisioningFailed(instance), instance.id, instance, idempotencyKey))
  }
  if (isDeployed(instance)) return Effect.succeed({ data: instance, response })
  const goal = deployed({ id: instance.id, instance, idempotencyKey }, get)
  return Effect.map(waitFor(goal, scheduler, options), ({ data }) => ({ data, response }))
}

type RescueOptions = WaitOptions<IdleProgress>

/** The calls of `rescue` that wait for the reboot. */
export const rescueWaits = (
  { enter, exit }: AnyHost<Calls<typeof rescue>>,
  { status }: AnyHost<Calls<typeof monitoring>>,
  { restart }: AnyHost<Calls<typeof power>>,
  { get }: AnyHost<Calls<typeof instances>>,
  scheduler: PollScheduler
) => {
  const boot = (mode: BootMode, id: number, options: RescueOptions): WaitCall<LiveStatus> => {
    const problem = problemWithWait(options)
    if (problem !== undefined) return Effect.fail(problem)
    return Effect.flatMap((mode === "rescue" ? enter : exit)(id, options), ({ data: { restarted } }) => {
      // The server has set the boot mode but was too busy to reboot, so the client must request the reboot.
      const reboot = restarted ? undefined : restart(id, withoutSignal(options))
      return waitForIdle(booted(id, mode, status, get, reboot), scheduler, options)
    })
  }
  return {
    /**
     * Boots the rescue system and waits until it runs. Reboots the instance if the server was too busy to
     * (`restarted: false`). Returns the live status once no task is open and it has `booted` `rescue`.
     *
     * @example
     * await vps.rescue.enterAndWait(42, { onProgress: ({ status }) => console.log(status) })
     */
    enterAndWait: (id: number, options: WaitOptions<IdleProgress> = {}): WaitCall<LiveStatus> =>
      boot("rescue", id, options),

    /**
     * Boots from the disk again and waits for it, like `enterAndWait`.
     *
     * @example
     * const { booted } = await vps.rescue.exitAndWait(42)
     * console.log(booted) // disk
     */
    exitAndWait: (id: number, options: WaitOptions<IdleProgress> = {}): WaitCall<LiveStatus> =>
      boot("disk", id, options)
  }
}

/** The wait itself listens to the signal: its error says more than that of a single request. */
const withoutSignal = ({ headers, maxRetries, timeout }: CallOptions): CallOptions => ({ headers, maxRetries, timeout })

// Reads the whole activity feed page by page.

/** Returns the next page each time it is run; an empty page is the end. */
type Pages = Call<ReadonlyArray<Task>>

export const taskPages = ({ tasks }: AnyHost<Calls<typeof monitoring>>) => ({
  /** Starts with the newest task. Each call of this function starts over. */
  pages: (id: number, { offset = 0, pageSize = TASKS_PAGE }: TasksIteration = {}, options?: CallOptions): Pages => {
    const cursor = new Cursor(offset, pageSize)
    const next: Pages = Effect.suspend(() => {
      if (cursor.last !== undefined) return Effect.succeed({ ...cursor.last, data: [] })
      return Effect.flatMap(tasks(id, { limit: pageSize, offset: cursor.offset }, options), (page) => {
        const unseen = cursor.advance(page)
        // A page without new tasks is not the end.
        return unseen.length > 0 ? Effect.succeed({ ...page, data: unseen }) : next
      })
    })
    return next
  }
})

class Cursor {
  offset: number
  /** The last page, once it has been read. */
  last: ApiResponse<unknown> | undefined
  readonly #pageSize: number
  readonly #ids = new Set<number>()
  #before = ""

  constructor(offset: number, pageSize: number) {
    this.offset = offset
    this.#pageSize = pageSize
  }

  /** Returns the tasks not yet returned: a task that starts between two pages moves older ones to the next page. */
  advance(page: ApiResponse<View<TaskPage>>): ReadonlyArray<Task> {
    const { items = [], total } = page.data
    this.offset += items.length
    // Without a total, a page that is not full is the last one; so is one that a host repeats for every offset.
    const text = total === undefined ? JSON.stringify(items) : ""
    const isRepeated = total === undefined && text === this.#before
    this.#before = text
    const isLast = total === undefined ? items.length < this.#pageSize || isRepeated : this.offset >= total
    if (items.length === 0 || isLast) this.last = page
    const unseen = isRepeated ? [] : items.filter(({ id }) => id === undefined || !this.#ids.has(id))
    for (const { id } of unseen) if (id !== undefined) this.#ids.add(id)
    return rawOf(unseen) as ReadonlyArray<Task>
  }
}

// Work on many instances: a bounded number at once, and a result for each.

const each = <Item, Data, Failure, Needs>(
  items: Iterable<Item>,
  run: (item: Item) => Effect.Effect<Data, Failure, Needs>,
  { concurrency = BULK_CONCURRENCY }: BulkOptions = {}
): Effect.Effect<Array<BulkResult<Item, Data, Failure>>, ArgumentError, Needs> => {
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > CONNECTIONS_MAX) {
    return Effect.fail(new ArgumentError(`concurrency must be an integer from 1 to ${CONNECTIONS_MAX}`))
  }
  return Effect.forEach(items, (item) =>
    Effect.match(run(item), {
      onSuccess: (data): BulkResult<Item, Data, Failure> => ({ ok: true, item, data }),
      onFailure: (error): BulkResult<Item, Data, Failure> => ({ ok: false, item, error })
    }), { concurrency })
}

export const bulk = ({ createAndWait }: Pick<ReturnType<typeof instanceWaits>, "createAndWait">) => ({
  /** Runs a function for each item, such as an instance's ID. A failure does not stop the others. */
  each,

  /**
   * Buys an instance for each name, and waits until each is deployed. The idempotency key of an instance is its name
   * after `keyPrefix`. A failure does not stop the others, and running this again buys only the missing ones.
   */
  createAndWait: (
    orders: Readonly<Record<string, CreateInstance>>,
    { concurrency, keyPrefix = "", ...options }: BulkCreateOptions = {}
  ): Effect.Effect<Array<BulkResult<string, Instance, WaitFailure>>, ArgumentError> =>
    each(
      Object.keys(orders),
      (name) =>
        Effect.map(
          createAndWait(orders[name]!, { ...options, idempotencyKey: keyPrefix + name }),
          ({ data }) => data
        ),
      { concurrency }
    )
})

export type Bulk = ReturnType<typeof bulk>
