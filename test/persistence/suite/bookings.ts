/** The lines of wallets' statements. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type BookingFilter, Bookings } from "#service/persistence/Bookings"
import { type Entry, Journals, type NewJournal } from "#service/persistence/Journals"
import { type Booking, type StatementFilter, Statements } from "#service/persistence/Statements"
import { account, firstInstance, NOW } from "./Fixtures.ts"
import type { Rules } from "./Rules.ts"

const ALL: StatementFilter = { before: null, since: null, until: null }

const append = (of: number, reference: string, entries: ReadonlyArray<Entry>, more: Partial<NewJournal> = {}) =>
  Effect.flatMap(
    Journals,
    (book) => book.append({ accountId: of, kind: "top_up", reference, currency: "EUR", at: NOW, entries, ...more })
  )

const wallet = (of: number, amount: number): Entry => ({ account: `wallet:${of}`, amount })
const bank = (amount: number): Entry => ({ account: "bank", amount })

const lines = (of: number, filter: Partial<StatementFilter> = {}, limit = 10) =>
  Effect.flatMap(Statements, (statements) => statements.lines(of, { ...ALL, ...filter }, limit))

const ids = (found: ReadonlyArray<Booking>) => found.map(({ id }) => id)

export const bookings: Rules = {
  "a line has its amount in all its parts, and its instance and order": Effect.gen(function*() {
    const { accountId, id, orderId } = yield* firstInstance
    const explanation = { plan: "Plan 1", price: 119, rate: 1900 }
    const charged = [wallet(accountId, -100), wallet(accountId, -19), { account: "revenue", amount: 100 }]
    yield* append(accountId, "a", [wallet(accountId, 5_000_000_000), bank(-5_000_000_000)])
    yield* append(accountId, "b", [...charged, { account: "vat", amount: 19 }], {
      kind: "instance_create",
      instanceId: id,
      explanation
    })
    yield* append(accountId, "c", [wallet(accountId, 100), { account: "revenue", amount: -100 }], {
      kind: "refund",
      reverses: 2
    })
    const none = { instanceId: null, hostname: null, orderId: null, paidFrom: null, reverses: null, explanation: null }
    const line = { at: NOW, currency: "EUR", ...none }
    assert.deepStrictEqual(yield* lines(accountId), [
      {
        ...line,
        id: 3,
        kind: "refund",
        reference: "c",
        amount: 100,
        balance: 4_999_999_981,
        net: 100,
        vat: 0,
        reverses: 2
      },
      {
        ...line,
        id: 2,
        kind: "instance_create",
        reference: "b",
        amount: -119,
        balance: 4_999_999_881,
        net: -100,
        vat: -19,
        instanceId: id,
        hostname: "web",
        orderId,
        paidFrom: NOW,
        explanation
      },
      { ...line, id: 1, kind: "top_up", reference: "a", amount: 5_000_000_000, balance: 5_000_000_000, net: 0, vat: 0 }
    ])
  }),

  "lines are those of one account, newest first, by page and by time, each with its own balance": Effect.gen(
    function*() {
      const [first, second] = [yield* account(), yield* account()]
      for (const [index, of] of [first, second, first, first].entries()) {
        yield* append(of, `r${index}`, [wallet(of, 10), bank(-10)], { at: NOW + index })
      }
      const all = yield* lines(first)
      assert.deepStrictEqual(ids(all), [4, 3, 1])
      assert.deepStrictEqual(all.map(({ balance }) => balance), [30, 20, 10])
      assert.deepStrictEqual(yield* lines(first, {}, 2), all.slice(0, 2))
      assert.deepStrictEqual(yield* lines(first, { before: 3 }), all.slice(2))
      assert.deepStrictEqual(yield* lines(first, { since: NOW + 2, until: NOW + 3 }), all.slice(1, 2))
      assert.deepStrictEqual(ids(yield* lines(second)), [2])
      assert.deepStrictEqual(yield* lines(99), [])
    }
  ),

  "bookings of all accounts are found by kind, time, account and reason": Effect.gen(function*() {
    const { accountId, id } = yield* firstInstance
    const other = yield* account({ email: "Zoe@example.test" })
    yield* append(accountId, "a", [wallet(accountId, 5_000_000_000), bank(-5_000_000_000)])
    yield* append(other, "Bank-7", [wallet(other, 20), bank(-20)], { at: NOW + 5 })
    yield* append(accountId, "c", [wallet(accountId, -30), { account: "revenue", amount: 30 }], {
      kind: "debit",
      instanceId: id,
      explanation: { reason: "Data recovery" }
    })
    const none: BookingFilter = { kinds: null, search: null, before: null, since: null, until: null }
    const list = (filter: Partial<BookingFilter> = {}, limit = 10) =>
      Effect.flatMap(Bookings, (bookings) => bookings.list({ ...none, ...filter }, limit))
    const found = (filter: Partial<BookingFilter>) => Effect.map(list(filter), (rows) => rows.map((row) => row.id))
    const [debit] = yield* list({}, 1)
    assert.deepStrictEqual(debit, {
      id: 3,
      at: NOW,
      kind: "debit",
      amount: -30,
      currency: "EUR",
      reference: "c",
      instanceId: id,
      hostname: "web",
      paidFrom: NOW,
      reverses: null,
      explanation: { reason: "Data recovery" },
      accountId,
      email: "a@example.test"
    })
    assert.strictEqual((yield* list({ before: 2 }))[0]?.amount, 5_000_000_000)
    assert.deepStrictEqual(yield* found({ kinds: ["top_up"] }), [2, 1])
    assert.deepStrictEqual(yield* found({ kinds: ["debit", "refund"] }), [3])
    assert.deepStrictEqual(yield* found({ since: NOW + 1 }), [2])
    assert.deepStrictEqual(yield* found({ until: NOW + 5 }), [3, 1])
    for (const search of ["zoe@", "bank-7", String(other)]) assert.include(yield* found({ search }), 2, search)
    assert.deepStrictEqual(yield* found({ search: "data rec" }), [3])
  })
}
