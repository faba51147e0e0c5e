/** Another price for existing orders, announced by mail first: an owner without the mail keeps the old one. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { toTimestamp } from "../domain/Timestamp.ts"
import { asText, toAmount } from "../domain/Money.ts"
import { Notices } from "../instances/Notices.ts"
import type { Plan } from "../persistence/catalogue/Plan.ts"
import { Instances } from "../persistence/Instances.ts"
import { Orders, type PriceChange, type Repriceable } from "../persistence/Orders.ts"
import { Transaction } from "../persistence/Transaction.ts"

/** Another price was announced before; the message names it, and says what to do. */
class AnnouncedBefore extends Schema.TaggedError<AnnouncedBefore>()("AnnouncedBefore", {
  message: Schema.String
}) {}

/** An order that keeps its price, although its owner got the mail. */
export interface Skipped extends Pick<Repriceable, "accountId" | "instanceId"> {
  readonly reason: string
}

const skip = Effect.fnUntraced(function*({ accountId, id, instanceId, soldId }: Repriceable) {
  const order = yield* (yield* Orders).find(id)
  const instance = yield* (yield* Instances).find(instanceId)
  const isResized = order?.soldId !== soldId
  const isEnded = instance === undefined || instance.terminateAt !== null || instance.expiresAt === null
  const reason = isResized
    ? "It was resized while the mail was sent, so it has the price of its new plan."
    : isEnded
    ? "It ended while the mail was sent."
    : "Its price was changed while the mail was sent. Run the command again."
  return { accountId, instanceId, reason } satisfies Skipped
})

/** Announces the price to one owner, and stores it once the mail is sent; undefined if it could not be. */
const announce = Effect.fnUntraced(
  function*(plan: Plan, change: PriceChange, own: ReadonlyArray<Repriceable>) {
    const { email } = own[0]!
    const { currency, name: planName } = plan
    const { from, price } = change
    const isSent = yield* (yield* Notices).repriced({ email, planName, price, currency, from, instances: own })
    if (!isSent) return undefined
    const { setNextPrice } = yield* Orders
    // Customers resize and operators announce while the mail is sent, so the order is compared with what was read.
    const store = Effect.filter(own, (order) => Effect.map(setNextPrice(order, change), (isStored) => !isStored))
    return yield* (yield* Transaction).run(Effect.flatMap(store, Effect.forEach(skip)))
  }
)

/** Owners were promised the price that was announced first, so another one must replace it explicitly. */
const assertNotAnnounced = Effect.fnUntraced(function*({ currency, id }: Plan, orders: ReadonlyArray<Repriceable>) {
  const announced = orders.filter(({ nextPrice }) => nextPrice !== null)
  const [first] = announced
  if (first === undefined) return
  const price = `${asText(toAmount(first.nextPrice!))} ${currency} from ${toTimestamp(first.nextPriceFrom!)}`
  const others = announced.length === 1 ? "" : ` (and ${announced.length - 1} more)`
  return yield* new AnnouncedBefore({
    message: `Owners of plan ${id} were already informed of another price: ${price}, for instance ${first.instanceId}`
      + `${others}. Wait until it applies, or replace it, which their mail says: --replace.`
  })
})

/**
 * A repetition continues with the owners who have not been informed. Fails with `AnnouncedBefore`, unless it replaces
 * what was announced before, or `StorageUnavailable`.
 */
export const reprice = Effect.fnUntraced(function*(plan: Plan, change: PriceChange, replaces: boolean) {
  const orders = yield* (yield* Orders).repriceable(change)
  if (!replaces) yield* assertNotAnnounced(plan, orders)
  const uninformed: Array<number> = []
  const skipped: Array<Skipped> = []
  let repriced = 0
  for (const [accountId, own] of Map.groupBy(orders, ({ accountId }) => accountId)) {
    const left = yield* announce(plan, change, own)
    if (left === undefined) {
      uninformed.push(accountId)
      continue
    }
    repriced += own.length - left.length
    skipped.push(...left)
  }
  return { repriced, uninformed, skipped }
})
