/** Any history of buying, resizing, paying, failing, renewing, expiring: all money is accounted for. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { setAutoRenew } from "#service/admin/commands/Instances"
import { fillWallet } from "#service/billing/TopUp"
import { createKey } from "#service/auth/Keys"
import { nextPeriodEnd } from "#service/domain/Calendar"
import { TREATMENTS } from "#service/domain/Vat"
import { createReference, topUp, verify } from "#service/ledger/Ledger"
import { resize } from "#service/operations/Resize"
import { placeOrder } from "#service/orders/PlaceOrder"
import { Accounts } from "#service/persistence/Accounts"
import { Instances } from "#service/persistence/Instances"
import { type Journal, Journals } from "#service/persistence/Journals"
import { Database } from "#service/persistence/sqlite/Database"
import { Tasks } from "#service/persistence/Tasks"
import { Transaction } from "#service/persistence/Transaction"
import { Rejected, Unavailable } from "#service/provisioning/Driver"
import { WorkerNotifier } from "#service/runtime/WorkerNotifier"
import { elapse, serviceLayer } from "../support/service.ts"
import { type Mishap, Upstream } from "../support/upstream.ts"

const DAY = 86_400_000

const from = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Who = from(0, TREATMENTS.length - 1)
const COUPONS = ["WELCOME10", "MINUS5", "LIMITED", "EXPIRED", "FREE"] as const
const MISHAPS: ReadonlyArray<Mishap> = [
  new Rejected({ reason: "no" }),
  new Unavailable({ reason: "away" }),
  "lost"
]

/** The possible events. There are few keys and payments, so that they repeat. */
const Event = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("buy"),
    who: Who,
    plan: from(1, 5),
    coupon: from(0, 2 * COUPONS.length),
    key: from(0, 5)
  }),
  Schema.Struct({ kind: Schema.Literal("resize"), instance: from(1, 12), plan: from(1, 3) }),
  Schema.Struct({ kind: Schema.Literal("renew"), instance: from(1, 12), on: Schema.Boolean }),
  Schema.Struct({ kind: Schema.Literal("pay"), who: Who, amount: from(0, 3_000), payment: from(0, 9) }),
  Schema.Struct({ kind: Schema.Literal("wait"), days: from(0, 40) }),
  Schema.Struct({ kind: Schema.Literal("mishap"), which: from(0, MISHAPS.length - 1) })
])
type Event = typeof Event.Type

/** One account of each treatment, with 25.00 and a key. */
const people = Effect.forEach(
  TREATMENTS,
  (treatment) =>
    Effect.flatMap(Transaction, ({ run }) =>
      run(Effect.gen(function*() {
        const vat = { treatment, rate: 2_100 }
        const account = { email: `${treatment}@example.test`, currency: "EUR", vat, at: 0 }
        const accountId = yield* (yield* Accounts).create(account)
        yield* topUp({ accountId, amount: 2_500, reference: `top_up:${treatment}`, at: 0 })
        const { id } = yield* createKey({ accountId, name: "k", scopes: ["vps:create"], expiresAt: null, at: 0 })
        return { accountId, apiKeyId: id, requestId: null }
      })))
)

type Person = Effect.Success<typeof people>[number]

const buy = Effect.fnUntraced(function*(caller: Person, event: Extract<Event, { readonly kind: "buy" }>) {
  const coupon = COUPONS[event.coupon]
  const body = { service_id: event.plan, ...(coupon === undefined ? {} : { coupon_code: coupon }) }
  const key = event.key === 0 ? undefined : `key-${event.key}`
  yield* (yield* Transaction).run(placeOrder({ caller, body, key }))
  yield* (yield* WorkerNotifier).notify
})

const ownerOf = Effect.fnUntraced(function*(instanceId: number, persons: ReadonlyArray<Person>) {
  const instance = yield* (yield* Instances).find(instanceId)
  return persons.find(({ accountId }) => accountId === instance?.accountId)
})

const happen = Effect.fnUntraced(function*(event: Event, persons: ReadonlyArray<Person>) {
  const at = yield* Clock.currentTimeMillis
  switch (event.kind) {
    case "buy":
      // Refusals are part of life: of money, of coupons.
      return yield* Effect.ignore(buy(persons[event.who]!, event))
    case "resize": {
      const person = yield* ownerOf(event.instance, persons)
      return person === undefined ? undefined : yield* Effect.ignore(resize(person, event.instance, event.plan))
    }
    case "renew":
      return yield* Effect.ignore(setAutoRenew({ id: event.instance, auto_renew: event.on }))
    case "pay": {
      const { accountId } = persons[event.who]!
      return void (yield* fillWallet({ accountId, amount: event.amount, reference: `payment-${event.payment}`, at }))
    }
    case "wait":
      yield* TestClock.adjust(event.days * DAY)
      return yield* elapse(1_500, 500)
    case "mishap":
      return void (yield* Upstream).mishaps.push(MISHAPS[event.which]!)
  }
})

const walletSide = ({ entries }: Journal): number =>
  entries.reduce((sum, { account, amount }) => account.startsWith("wallet:") ? sum + amount : sum, 0)

type OrderRow = [id: number, charge: number, status: string, created: number, expires: number, lifecycle: string]

/** Every order has what it paid in the books once, and back once at most; every period of its instance, too. */
const checkOrder = (journals: ReadonlyMap<string, Journal>) => (row: OrderRow) => {
  const [id, charge, status, created, expires] = row
  const paid = journals.get(createReference(id))
  assert.strictEqual(paid === undefined ? 0 : -walletSide(paid), charge, `order ${id}`)
  const refund = journals.get(`refund:order:${id}`)
  assert.strictEqual(refund !== undefined, status === "refunded" && charge > 0, `refund of order ${id}`)
  if (refund !== undefined) assert.strictEqual(walletSide(refund), charge)
  let end = nextPeriodEnd(created, created)
  let periods = 0
  while (end < expires) {
    assert.isTrue(journals.has(`instance_renew:order:${id}:${new Date(end).toISOString()}`), `order ${id}`)
    end = nextPeriodEnd(created, end)
    periods++
  }
  return periods
}

/** The charge of a resize is booked once, and refunded once if and only if it failed. */
const checkResizes = Effect.fnUntraced(function*(journals: ReadonlyMap<string, Journal>) {
  const tasks = yield* (yield* Tasks).all
  const charged = [...journals.values()].filter(({ kind }) => kind === "instance_resize")
  for (const { reference } of charged) {
    const id = Number(reference.replace("instance_resize:task:", ""))
    const refund = journals.get(`refund:resize:task:${id}`)
    // The feed forgets a task after half a year; the books forget nothing.
    const task = tasks.find((each) => each.id === id)
    if (task !== undefined) assert.strictEqual(refund !== undefined, task.status === "failed", reference)
    if (refund !== undefined) assert.strictEqual(walletSide(refund), -walletSide(journals.get(reference)!))
  }
  return charged.length
})

const check = Effect.gen(function*() {
  assert.deepStrictEqual(yield* verify, { balanced: true, unbalanced: [], wrongWallets: [] })
  const wallets = yield* (yield* Accounts).wallets
  assert.isTrue(wallets.every(({ wallet }) => wallet >= 0))
  const all = yield* (yield* Journals).all
  const journals = new Map(all.map((journal) => [journal.reference, journal]))
  assert.strictEqual(journals.size, all.length)
  const db = yield* Database
  const orders = db.all<OrderRow>(
    `SELECT o.id, o.charge, o.status, i.created_at, i.expires_at, i.lifecycle
     FROM orders o JOIN instances i ON i.order_id = o.id`
  )()
  const periods = orders.map(checkOrder(journals)).reduce((sum, count) => sum + count, 0)
  const resizes = yield* checkResizes(journals)
  const refunds = [...journals.keys()].filter((reference) => reference.startsWith("refund:order:")).length
  const count = (kind: string) => all.filter((journal) => journal.kind === kind).length
  assert.strictEqual(count("instance_renew"), periods, "no period is charged that was not given")
  assert.strictEqual(count("instance_create"), orders.filter(([, charge]) => charge > 0).length)
  assert.strictEqual(refunds, orders.filter(([, charge, status]) => charge > 0 && status === "refunded").length)
  const wrongly = db.all<[number]>(
    `SELECT r.order_id FROM coupon_redemptions r JOIN orders o ON o.id = r.order_id
     WHERE (r.released_at IS NULL) <> (o.status = 'paid')`
  )()
  assert.deepStrictEqual(wrongly, [], "a coupon goes back with the money, and only then")
  const coupons = db.all<[uses: number, redeemed: number, most: number | null]>(
    `SELECT uses, (SELECT count(*) FROM coupon_redemptions r WHERE r.coupon_id = c.id AND r.released_at IS NULL),
       max_uses FROM coupons c`
  )()
  for (const [uses, redeemed, most] of coupons) {
    assert.strictEqual(uses, redeemed)
    assert.isAtMost(uses, most ?? Number.POSITIVE_INFINITY)
  }
  return { renewals: periods, refunds, resizes, orders: orders.length }
})

const FREE = `INSERT INTO coupons (code, kind, value, max_uses, once_per_account, uses, created_at)
  VALUES ('FREE', 'percent', 10000, NULL, 0, 0, 0)`

const live = (events: ReadonlyArray<Event>, seed: number) =>
  Effect.gen(function*() {
    ;(yield* Database).connection.exec(FREE)
    const persons = yield* people
    yield* Effect.forEach(events, (event) => happen(event, persons), { discard: true })
    yield* elapse(5_000, 500)
    return yield* check
  }).pipe(Random.withSeed(seed), Effect.provide(serviceLayer()))

describe("any history", () => {
  it.effect.prop(
    "balances, goes into no red, pays back once, and charges each order and each period once",
    [Schema.Array(Event).check(Schema.isMinLength(40), Schema.isMaxLength(90)), from(0, 1_000_000)],
    ([events, seed]) => live(events, seed)
  )

  it.effect("a long one has renewals, refunds, resizes and coupons in it, so that the above says something", () =>
    Effect.gen(function*() {
      const buys: ReadonlyArray<Event> = TREATMENTS.flatMap((_, who): ReadonlyArray<Event> => [
        { kind: "buy", who, plan: 1, coupon: 2, key: 1 },
        { kind: "mishap", which: 0 },
        { kind: "buy", who, plan: 2, coupon: 1, key: 2 },
        { kind: "wait", days: 1 },
        { kind: "buy", who, plan: 3, coupon: 4, key: 0 },
        { kind: "pay", who, amount: 3_000, payment: who }
      ])
      const changes: ReadonlyArray<Event> = [
        { kind: "pay", who: 0, amount: 3_000, payment: 8 },
        { kind: "wait", days: 1 },
        ...Array.from({ length: 6 }, (_, index): Event => ({ kind: "resize", instance: index + 1, plan: 3 })),
        { kind: "renew", instance: 2, on: false },
        { kind: "wait", days: 1 }
      ]
      const waits = Array.from({ length: 4 }, (): Event => ({ kind: "wait", days: 20 }))
      const seen = yield* live([...buys, ...changes, ...waits], 1)
      assert.isAbove(seen.renewals, 5)
      assert.isAbove(seen.refunds, 2)
      assert.isAbove(seen.resizes, 1)
      assert.isAbove(seen.orders, 9)
    }))
})
