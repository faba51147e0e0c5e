/** A wallet's statement explains every cent, for people and as CSV. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { csvOf, statementCsv, statementOf } from "#service/billing/Statement"
import { toTimestamp } from "#service/domain/Timestamp"
import { payOut, topUp } from "#service/ledger/Ledger"
import { resize } from "#service/operations/Resize"
import { Journals } from "#service/persistence/Journals"
import type { StatementFilter } from "#service/persistence/Statements"
import { Transaction } from "#service/persistence/Transaction"
import { Rejected } from "#service/provisioning/Driver"
import { at, until, wallet } from "../support/billing.ts"
import { buy, deployTime, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"

const ALL = { before: null, since: null, until: null }
const lines = Effect.suspend(() => statementOf(1, ALL, 100))
const write = <A, E, R>(useCase: Effect.Effect<A, E, R>) => Effect.flatMap(Transaction, ({ run }) => run(useCase))
const date = (text: string) => text.slice(0, 10)

/** An instance that was bought with a coupon, resized at `now`, and renewed. */
const renewedOnce = Effect.gen(function*() {
  const { id, order } = yield* buy({ coupon_code: "WELCOME10" })
  yield* deployTime
  const { expires_at: end } = yield* show(id)
  const now = yield* Clock.currentTimeMillis
  yield* resize(owner, id, 2)
  yield* elapse(500)
  yield* until(at(end!))
  return { id, order, now }
})

const UNTAXED = { net: null, vat_amount: null, vat_rate: null }

const FIRST = {
  kind: "instance_create",
  amount: -4.49,
  balance: 995.51,
  net: -3.77,
  vat_amount: -0.72,
  vat_rate: 19,
  vat_treatment: "domestic",
  plan: "VPS S",
  list_price: 4.99,
  coupon: "WELCOME10",
  discount: 0.5,
  refund_of: null
} as const

const UPGRADE = {
  kind: "instance_resize",
  amount: -5,
  plan: "VPS M",
  list_price: 9.99,
  previous_plan: "VPS S",
  previous_list_price: 4.99
} as const

const RENEWAL = { kind: "instance_renew", amount: -9.99, net: -8.39, vat_amount: -1.6, plan: "VPS M" } as const

/** A booking as the ledger stores it, and its entries. */
const BOOKED = { accountId: 1, currency: "EUR", at: 0 } as const
const append = (journal: Parameters<Journals["Service"]["append"]>[0]) =>
  write(Effect.flatMap(Journals, (book) => book.append(journal)))
const entries = (wallet: number, revenue: number, vat: number) => [
  { account: "wallet:1", amount: wallet },
  { account: "revenue", amount: revenue },
  { account: "vat", amount: vat }
]

describe("a statement", () => {
  it.effect("says of each line what it is for, with plan, period, VAT, coupon and order", () =>
    Effect.gen(function*() {
      const { id, now, order } = yield* renewedOnce
      const { expires_at: next } = yield* show(id)
      const [renewal, upgrade, create, seed, ...none] = yield* lines
      assert.deepStrictEqual(none, [])
      const [start, end] = [toTimestamp(now - 100), renewal!.period_from!]
      assert.deepInclude(seed, { kind: "top_up", description: "Top-up seed", amount: 1_000, ...UNTAXED })
      assert.deepInclude(seed, { list_price: null, discount: null, period_from: null, period_to: null })
      assert.deepInclude(create, {
        ...FIRST,
        description: `VPS S (${date(start)} to ${date(end)}, coupon WELCOME10)`,
        period_to: end,
        instance_id: id,
        order_id: order.id
      })
      assert.deepInclude(upgrade, {
        ...UPGRADE,
        description: `Resize from VPS S to VPS M (${date(start)} to ${date(end)})`,
        period_from: toTimestamp(now),
        period_to: end,
        order_id: order.id
      })
      assert.deepInclude(renewal, {
        ...RENEWAL,
        description: `VPS M (${date(end)} to ${date(next!)})`,
        period_to: next,
        instance_id: id
      })
      assert.strictEqual(Math.round(renewal!.balance * 100), yield* wallet)
      for (const { amount, net, vat_amount: vat } of [renewal!, upgrade!, create!]) {
        assert.strictEqual(Math.round((net! + vat!) * 100), Math.round(amount * 100))
      }
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("says of a refund which line it gives back", () =>
    Effect.gen(function*() {
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "no capacity" }))
      const { id } = yield* buy()
      yield* elapse(1_000)
      const [refund, create] = yield* lines
      assert.deepInclude(refund, {
        kind: "refund",
        amount: 4.99,
        refund_of: create!.id,
        instance_id: id,
        balance: 1_000
      })
      const [from, to] = [create!.period_from!, create!.period_to!].map(date)
      assert.strictEqual(refund!.description, `Refund of line 2, VPS S (${from} to ${to})`)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("of bookings from versions without explanations has what they have", () =>
    Effect.gen(function*() {
      const { id: instanceId } = yield* buy()
      const old = { ...BOOKED, kind: "instance_renew", entries: entries(-119, 100, 19) } as const
      yield* append({ ...old, reference: "instance_renew:order:17:x" })
      yield* append({ ...old, reference: "r1", instanceId })
      yield* append({ ...BOOKED, kind: "refund", reference: "r2", entries: entries(119, -100, -19) })
      const [refund, own, other] = yield* lines
      const line = { description: "Instance", amount: -1.19, vat_amount: -0.19, plan: null, period_from: null }
      assert.deepInclude(other, { ...line, order_id: 17 })
      assert.deepInclude(own, { ...line, instance_id: instanceId })
      assert.deepInclude(refund, { description: "Refund", amount: 1.19, refund_of: null })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("shows no order in a reference that an operator chose", () =>
    Effect.gen(function*() {
      yield* write(topUp({ accountId: 1, amount: 1, reference: "top_up:order:1", at: 0 }))
      yield* append({ ...BOOKED, kind: "debit", reference: "debit:order:1", entries: entries(-119, 100, 19) })
      yield* append({ ...BOOKED, kind: "refund", reference: "refund:manual:order:1", entries: entries(119, -100, -19) })
      yield* append({ ...BOOKED, kind: "refund", reference: "refund:order:17", entries: entries(119, -100, -19) })
      const orders = (yield* lines).slice(0, 4).map(({ order_id: order }) => order)
      assert.deepStrictEqual(orders, [17, null, null, null])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("has the lines of a time, and of an instance, each with the balance after it", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      for (const at of [10, 20, 30]) {
        const entries = [{ account: "wallet:1", amount: 100 }, { account: "bank", amount: -100 }]
        yield* append({ ...BOOKED, kind: "top_up", reference: `at-${at}`, entries, at })
      }
      const balances = (filter: Partial<StatementFilter>) =>
        Effect.map(statementOf(1, { ...ALL, ...filter }, 100), (found) => found.map(({ balance }) => balance))
      assert.deepStrictEqual(yield* balances({}), [998.01, 997.01, 996.01, 995.01, 1_000])
      assert.lengthOf(yield* statementOf(1, ALL, 2), 2)
      assert.deepStrictEqual(yield* balances({ since: 20, until: 30 }), [997.01])
      assert.deepStrictEqual(yield* balances({ since: 20 }), [998.01, 997.01])
      assert.deepStrictEqual(yield* balances({ instanceId: id }), [995.01])
      assert.deepStrictEqual(yield* balances({ instanceId: id, since: 10 }), [])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("of a plan whose instance is not stored names the plan", () =>
    Effect.gen(function*() {
      const explanation = { plan: "VPS S", price: 499 }
      yield* append({
        ...BOOKED,
        kind: "instance_create",
        reference: "c",
        entries: entries(-499, 419, 80),
        explanation
      })
      assert.deepInclude((yield* lines)[0], { description: "VPS S", list_price: 4.99, period_from: null })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("says why an operator took money, or gave it back, and to the cent what of it was VAT", () =>
    Effect.gen(function*() {
      const debit = { kind: "debit", reference: "debit:d", explanation: { reason: "data recovery" } } as const
      yield* append({ ...BOOKED, ...debit, entries: entries(-100, 100, 0) })
      yield* append({ ...BOOKED, kind: "debit", reference: "debit:e", entries: entries(-1, 0, 1) })
      const [vat, fee] = yield* lines
      assert.deepInclude(fee, { description: "Debit: data recovery", net: -1, vat_amount: 0, vat_rate: null })
      assert.deepInclude(vat, { description: "Debit", net: 0, vat_amount: -0.01 })
      const refund = { kind: "refund", reference: "r", reverses: fee!.id, explanation: { reason: "sorry" } } as const
      yield* append({ ...BOOKED, ...refund, entries: entries(100, -100, 0) })
      assert.strictEqual((yield* lines)[0]!.description, `Refund of line ${fee!.id}: sorry`)
    }).pipe(Effect.provide(serviceLayer())))
})

const csv = (filter: StatementFilter = ALL) =>
  Effect.map(Stream.runCollect(statementCsv(1, filter)), (texts) => [...texts].join(""))

describe("a statement as CSV", () => {
  it.effect("has all lines of all pages below one header, with numbers as numbers", () =>
    Effect.gen(function*() {
      for (let index = 0; index < 600; index++) {
        yield* write(topUp({ accountId: 1, amount: 1, reference: `top_up:p${index}`, at: 0 }))
      }
      const rows = (yield* csv()).split("\r\n")
      assert.match(rows[0]!, /^"id","at","kind","description","amount","balance","currency",/)
      assert.strictEqual(rows.length, 603)
      for (const row of rows.slice(1, -1)) assert.match(row, /^\d+,"/)
      assert.match(rows[1]!, /^601,"1970-01-01T00:00:00\.000Z","top_up","Top-up p599",0\.01,1006,"EUR",,,/)
      assert.match(rows[601]!, /^1,.*"Top-up seed",1000,1000,"EUR"/)
      assert.strictEqual(rows[602], "")
      assert.strictEqual((yield* csv({ ...ALL, before: 1 })).split("\r\n").length, 2)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each(
    [
      ["\uff1dHYPERLINK(1)", "\"Payout: \uff1dHYPERLINK(1)\"", "\"'\uff1dHYPERLINK(1)\""],
      ["\u200b=HYPERLINK(1)", "\"Payout: \u200b=HYPERLINK(1)\"", "\"'\u200b=HYPERLINK(1)\""],
      ["=HYPERLINK(\"http://x\")", "\"Payout: =HYPERLINK(\"\"http://x\"\")\"", "\"'=HYPERLINK(\"\"http://x\"\")\""],
      ["@SUM(A1)", "\"Payout: @SUM(A1)\"", "\"'@SUM(A1)\""],
      ["+1", "\"Payout: +1\"", "\"'+1\""],
      ["-1", "\"Payout: -1\"", "\"'-1\""],
      [" \t=1", "\"Payout:  \t=1\"", "\"' \t=1\""],
      ["a,b\r\nc", "\"Payout: a,b\r\nc\"", "\"a,b\r\nc\""]
    ] as const
  )("keeps %j from being evaluated by a spreadsheet", ([reason, description, cell]) =>
    Effect.gen(function*() {
      yield* write(payOut({ accountId: 1, amount: 1, reference: "p", reason, at: 0 }))
      const text = csvOf((yield* lines).slice(0, 1), false)
      assert.include(text, `,${description},-0.01,`)
      assert.include(text, `,${cell},`)
    }).pipe(Effect.provide(serviceLayer())))
})
