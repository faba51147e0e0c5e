/** Work on many instances: a bounded number at once, and a result for each. */
import * as Effect from "effect/Effect"
import type { CreateInstance, Instance } from "../Records.ts"
import { ArgumentError } from "../errors/Errors.ts"
import type { WaitFailure } from "../errors/Failures.ts"
import { BULK_CONCURRENCY, CONNECTIONS_MAX } from "../options/Limits.ts"
import type { BulkCreateOptions, BulkOptions } from "../options/Options.ts"
import type { BulkResult } from "../Results.ts"
import type { instanceWaits } from "./InstanceWaits.ts"

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
