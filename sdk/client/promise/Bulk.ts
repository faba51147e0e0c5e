import * as Effect from "effect/Effect"
import type { Bulk } from "../calls/Combined.ts"
import type { BulkCreateOptions, BulkOptions } from "../options/Options.ts"
import type { CreateInstance, Instance } from "../Records.ts"
import type { BulkResult } from "../Results.ts"
import type { Bulk as Calls } from "./Groups.ts"

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
