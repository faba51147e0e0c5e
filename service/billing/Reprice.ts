/** Another price for existing orders, announced by mail first: an owner without the mail keeps the old one. */
import * as Effect from "effect/Effect"
import { Notices } from "../instances/Notices.ts"
import type { Plan } from "../persistence/catalogue/Plan.ts"
import { Orders, type PriceChange, type Repriceable } from "../persistence/Orders.ts"
import { Transaction } from "../persistence/Transaction.ts"

/** Announces the price to one owner, and stores it once the mail is sent; false if it could not be. */
const announce = Effect.fnUntraced(
  function*(plan: Plan, { from, price }: PriceChange, own: ReadonlyArray<Repriceable>) {
    const { email } = own[0]!
    const { currency, name: planName } = plan
    const isSent = yield* (yield* Notices).repriced({ email, planName, price, currency, from, instances: own })
    if (!isSent) return false
    const { setNextPrice } = yield* Orders
    const store = Effect.forEach(own, ({ id }) => setNextPrice(id, price, from))
    yield* (yield* Transaction).run(store)
    return true
  }
)

/** A repetition continues with the owners who have not been informed. Fails with `StorageUnavailable`. */
export const reprice = Effect.fnUntraced(function*(plan: Plan, change: PriceChange) {
  const orders = yield* (yield* Orders).repriceable(change)
  const uninformed: Array<number> = []
  let repriced = 0
  for (const [accountId, own] of Map.groupBy(orders, ({ accountId }) => accountId)) {
    if (yield* announce(plan, change, own)) repriced += own.length
    else uninformed.push(accountId)
  }
  return { repriced, uninformed }
})
