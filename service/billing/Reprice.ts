/**
 * Another price for existing orders, announced by mail: stored in one transaction with the mail that announces it, and
 * charged only once that mail is sent.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { toTimestamp } from "../domain/Timestamp.ts"
import { asText, type Minor, toAmount } from "../domain/Money.ts"
import { price } from "../domain/Vat.ts"
import { ownerOf } from "../instances/Admission.ts"
import { announcementEvent, awaitSent, NOTHING_LEFT, postAwaited, withdraw } from "../mail/Outbox.ts"
import type { Plan } from "../persistence/catalogue/Plan.ts"
import { Instances } from "../persistence/Instances.ts"
import { Mails } from "../persistence/Mails.ts"
import { Orders, type PriceChange, type Repriceable } from "../persistence/Orders.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { WorkerNotifier } from "../runtime/WorkerNotifier.ts"

/** Another price was announced before; the message names it, and says what to do. */
class AnnouncedBefore extends Schema.TaggedError<AnnouncedBefore>()("AnnouncedBefore", {
  message: Schema.String
}) {}

/** An order that keeps its price. */
export interface Skipped extends Pick<Repriceable, "accountId" | "instanceId"> {
  readonly reason: string
}

const skip = Effect.fnUntraced(function*({ accountId, id, instanceId, soldId }: Repriceable) {
  const order = yield* (yield* Orders).find(id)
  const instance = yield* (yield* Instances).find(instanceId)
  const isResized = order?.soldId !== soldId
  const isEnded = instance === undefined || instance.terminateAt !== null || instance.expiresAt === null
  const reason = isResized
    ? "It was resized meanwhile, so it has the price of its new plan."
    : isEnded
    ? "It ended meanwhile."
    : "Its price was changed meanwhile. Run the command again."
  return { accountId, instanceId, reason } satisfies Skipped
})

/** The mail to one owner, with the orders whose price it announces. */
interface Announcement {
  readonly mailId: number
  readonly orders: ReadonlyArray<Repriceable>
}

/** Stores the price of one owner's orders and its mail, in a transaction of the caller. */
const announce = Effect.fnUntraced(function*(plan: Plan, change: PriceChange, own: ReadonlyArray<Repriceable>) {
  const { setAnnouncement, setNextPrice } = yield* Orders
  const at = yield* Clock.currentTimeMillis
  // Customers resize, and other operators announce: the order is compared with what was read.
  const orders = yield* Effect.filter(own, (order) => setNextPrice(order, change))
  const skipped = yield* Effect.forEach(own.filter((order) => !orders.includes(order)), skip)
  if (orders.length === 0) return { skipped, announcement: undefined }
  const { accountId, email } = own[0]!
  const { currency, name: planName } = plan
  const { from, planId, price: gross } = change
  const { vat } = yield* ownerOf({ accountId })
  const chargeOf = (one: Minor): Minor => price(one, vat).charge
  const instances = orders.map(({ hostname, instanceId, nextPrice, price: now }) => ({
    instanceId,
    hostname,
    charge: chargeOf(now),
    announced: nextPrice === null ? null : chargeOf(nextPrice)
  }))
  const mailId = yield* postAwaited(
    "price_announced",
    { accountId, instanceId: null, email },
    announcementEvent(accountId, planId, orders[0]!.id, at),
    { planName, charge: chargeOf(gross), currency, from, instances },
    at
  )
  yield* Effect.forEach(orders, ({ id }) => setAnnouncement(id, mailId), { discard: true })
  return { skipped, announcement: { mailId, orders } satisfies Announcement }
})

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

/** The orders whose price would change, by account. Fails with `AnnouncedBefore`, unless it replaces another price. */
const affected = Effect.fnUntraced(function*(plan: Plan, change: PriceChange, replaces: boolean) {
  const orders = yield* (yield* Orders).repriceable(change)
  if (!replaces) yield* assertNotAnnounced(plan, orders)
  return Map.groupBy(orders, ({ accountId }) => accountId)
})

/** The outcome of an announcement. */
export interface Repriced {
  /** The number of orders. */
  readonly repriced: number
  /** The number of accounts that these belong to. */
  readonly accounts: number
  /** Accounts whose mail waits for the mail server. */
  readonly waiting: ReadonlyArray<number>
  /** Accounts whose address the mail server refuses; they keep the price. */
  readonly uninformed: ReadonlyArray<number>
  /** Accounts whose mail was withdrawn; they keep the price. */
  readonly withdrawn: ReadonlyArray<number>
  readonly skipped: ReadonlyArray<Skipped>
}

/** The outcome that an announcement would have. Fails with `AnnouncedBefore`. */
export const preview = Effect.fnUntraced(function*(plan: Plan, change: PriceChange, replaces: boolean) {
  const owners = yield* affected(plan, change, replaces)
  const repriced = [...owners.values()].flat().length
  return { repriced, accounts: owners.size, waiting: [], uninformed: [], withdrawn: [], skipped: [] } as Repriced
})

const INTERRUPTED = "The announcement was interrupted."

/** Withdraws what no mail has announced yet. */
const takeBack = Effect.fnUntraced(function*(announcements: ReadonlyArray<Announcement>) {
  const { withdrawNextPrice } = yield* Orders
  const ordersOf = new Map(announcements.map(({ mailId, orders }) => [mailId, orders]))
  const undo = (mailId: number) =>
    Effect.forEach(ordersOf.get(mailId)!, (order) => withdrawNextPrice(order, mailId), { discard: true })
  return new Set(yield* withdraw([...ordersOf.keys()], INTERRUPTED, undo))
})

/**
 * Announces a price, and waits until the mails are sent, or the mail server has taken none for a while. A repetition
 * continues with the owners without a mail. When `stop` completes, or the fiber is interrupted, what no mail has
 * announced yet is withdrawn. Fails with `AnnouncedBefore`, unless it replaces what was announced before, or
 * `StorageUnavailable`.
 */
export const reprice = Effect.fnUntraced(function*(
  plan: Plan,
  change: PriceChange,
  replaces: boolean,
  stop: Effect.Effect<void>
) {
  const mails = yield* Mails
  const { run } = yield* Transaction
  const announcements: Array<Announcement> = []
  const skipped: Array<Skipped> = []
  const announceAll = Effect.gen(function*() {
    for (const own of (yield* affected(plan, change, replaces)).values()) {
      const { announcement, skipped: left } = yield* run(announce(plan, change, own))
      if (announcement !== undefined) announcements.push(announcement)
      skipped.push(...left)
    }
    yield* (yield* WorkerNotifier).notify
    return yield* awaitSent(announcements.map(({ mailId }) => mailId), stop)
  })
  const waiting = new Set(yield* Effect.onInterrupt(announceAll, () => Effect.ignore(takeBack(announcements))))
  const isStopped = yield* Effect.raceFirst(Effect.as(stop, true), Effect.as(Effect.yieldNow, false))
  const withdrawn = isStopped
    ? yield* takeBack(announcements.filter(({ mailId }) => waiting.has(mailId)))
    : new Set<number>()
  const isRefused = Effect.fnUntraced(function*({ mailId }: Announcement) {
    const mail = yield* mails.find(mailId)
    if (mail === undefined || mail.sentAt !== null || mail.dueAt !== null || withdrawn.has(mailId)) return false
    if (mail.error === NOTHING_LEFT) withdrawn.add(mailId)
    return mail.error !== NOTHING_LEFT
  })
  const uninformed = yield* Effect.filter(announcements, isRefused)
  const kept = announcements.filter((one) => !withdrawn.has(one.mailId) && !uninformed.includes(one))
  const accountsOf = (some: ReadonlyArray<Announcement>) => some.map(({ orders }) => orders[0]!.accountId)
  return {
    repriced: kept.flatMap(({ orders }) => orders).length,
    accounts: kept.length,
    waiting: accountsOf(kept.filter(({ mailId }) => waiting.has(mailId))),
    uninformed: accountsOf(uninformed),
    withdrawn: accountsOf(announcements.filter(({ mailId }) => withdrawn.has(mailId))),
    skipped
  } satisfies Repriced
})
