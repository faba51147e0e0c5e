/**
 * Turns calls that return Effects into calls that return promises: endpoints, work on many instances, and the
 * activity feed.
 */
import * as Effect from "effect/Effect"
import type { WaitFailure } from "../errors/ApiErrors.ts"
import type { BulkResult } from "../Results.ts"
import type { ApiResponse } from "../chain/ApiResponse.ts"
import { ApiPromise } from "./ApiPromise.ts"
import type { Bulk } from "../calls/Combined.ts"
import type { BulkCreateOptions, BulkOptions, CallOptions, TasksIteration } from "../options/Options.ts"
import type { CreateInstance, Instance, Task } from "../Records.ts"
import type { Bulk as Calls, Tasks } from "./Groups.ts"
import type { Client } from "../Client.ts"

/** The calls of a group, as promises. */
export type Promised<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends
    (...args: infer Args) => Effect.Effect<ApiResponse<infer Data>, infer _> ? (...args: Args) => ApiPromise<Data>
    : never
}

type AnyCall = (...args: ReadonlyArray<unknown>) => Effect.Effect<ApiResponse<unknown>, WaitFailure>

export const promised = <Group extends object>(group: Group): Promised<Group> =>
  Object.fromEntries(
    Object.entries(group as Record<string, AnyCall>).map(([name, call]) => {
      const promise = (...args: ReadonlyArray<unknown>) => run(call(...args), promise)
      return [name, promise]
    })
  ) as Promised<Group>

/** Runs a call. Its typed errors become the rejection, with the stack of the caller of `entry`, or of this function. */
const run = <T>(call: Effect.Effect<ApiResponse<T>, WaitFailure>, entry?: Function): ApiPromise<T> => {
  // Captured now and formatted only if needed (2 µs): the error is made much later, deep inside Effect's fiber.
  const caller: { stack?: string } = {}
  Error.captureStackTrace?.(caller, entry ?? run)
  const located = Effect.tapError(call, (error) =>
    Effect.sync(() => {
      error.stack = `${error.name}: ${error.message}${framesOf(caller.stack)}`
    }))
  return new ApiPromise(Effect.runPromise(located))
}

const framesOf = (stack: string | undefined): string => {
  const start = stack?.indexOf("\n    at ") ?? -1
  return stack === undefined || start === -1 ? "" : stack.slice(start)
}

/** Work on many instances: a bounded number at once, and a result for each. */
export class BulkCalls implements Calls {
  readonly #client: Bulk

  constructor(client: Bulk) {
    this.#client = client
  }

  /**
   * Runs a function for each item, such as an instance's ID, for 8 items at once by default. A failure does not stop
   * the others. Returns the results in the order of the items.
   *
   * @example
   * const ids = (await vps.instances.list()).filter(({ status }) => status === "running").map(({ id }) => id)
   * for (const result of await vps.bulk.each(ids, (id) => vps.power.restart(id), { concurrency: 4 })) {
   *   if (!result.ok) console.log(`Instance ${result.item}:`, result.error)
   * }
   */
  each<Item, Data>(
    items: Iterable<Item>,
    run: (item: Item) => PromiseLike<Data>,
    options?: BulkOptions
  ): Promise<Array<BulkResult<Item, Data, unknown>>> {
    const settle = (item: Item) => Effect.promise(() => settled(item, run))
    const results = Effect.map(
      this.#client.each(items, settle, options),
      (all) => all.map((each) => each.ok ? each.data : each)
    )
    return Effect.runPromise(results)
  }

  /**
   * Buys an instance for each name, and waits until each is deployed. The idempotency key of an instance is its name
   * after `keyPrefix`, so that running this again buys only the missing ones. A failure does not stop the others.
   *
   * @example
   * const fleet = await vps.bulk.createAndWait({
   *   "web-1": { service_id: 1, hostname: "web-1.example.com" },
   *   "web-2": { service_id: 1, hostname: "web-2.example.com" }
   * }, { keyPrefix: "shop-" })
   * for (const result of fleet) console.log(result.item, result.ok ? result.data.ipv4 : result.error.message)
   */
  createAndWait(
    orders: Readonly<Record<string, CreateInstance>>,
    options?: BulkCreateOptions
  ): Promise<Array<BulkResult<string, Instance>>> {
    return Effect.runPromise(this.#client.createAndWait(orders, options))
  }
}

/** The function of a caller may throw anything, at once or later. */
const settled = async <Item, Data>(
  item: Item,
  run: (item: Item) => PromiseLike<Data>
): Promise<BulkResult<Item, Data, unknown>> => {
  try {
    return { ok: true, item, data: await run(item) }
  } catch (error) {
    return { ok: false, item, error }
  }
}

/** The whole activity feed of an instance. `monitoring.tasks` reads one page of it. */
export class TaskPages implements Tasks {
  readonly #client: Client["tasks"]

  constructor(client: Client["tasks"]) {
    this.#client = client
  }

  /**
   * Iterates over every task of an instance, newest first, each once. Requests a page only when the previous one is
   * used up, so leaving the loop early sends no further requests.
   *
   * @example
   * for await (const task of vps.tasks.iterate(42)) {
   *   if (task.status === "failed") console.log(task.created_at, task.type, task.error)
   * }
   */
  async *iterate(id: number, query?: TasksIteration, options?: CallOptions): AsyncGenerator<Task, void, void> {
    const pages = this.#client.pages(id, query, options)
    for (let page = await run(pages); page.length > 0; page = await run(pages)) yield* page
  }
}
