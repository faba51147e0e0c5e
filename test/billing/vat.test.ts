/** VAT in all that moves money: create, coupon, renewal, resize, refund; one row per treatment. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { resize } from "#service/operations/Resize"
import { topUp, verify } from "#service/ledger/Ledger"
import { placeOrder } from "#service/orders/PlaceOrder"
import { Accounts } from "#service/persistence/Accounts"
import { Instances } from "#service/persistence/Instances"
import { Journals } from "#service/persistence/Journals"
import { Transaction } from "#service/persistence/Transaction"
import { Rejected } from "#service/provisioning/Driver"
import { WorkerNotifier } from "#service/runtime/WorkerNotifier"
import { at, until } from "../support/billing.ts"
import { elapse, owner, serviceLayer } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"
import type { Treatment } from "#service/contract/Words"

/** Minor units: what the wallet pays, and the VAT in it. The customer's own rate is 21 %, the seller's 19 %. */
interface Row {
  readonly treatment: Treatment
  /** Plan 2: 9.99. */
  readonly medium: readonly [charge: number, vat: number]
  /** Plan 2 with 10 % off. */
  readonly reduced: readonly [charge: number, vat: number]
  /** From plan 2 to plan 3 (19.99) for a whole period. */
  readonly upgrade: readonly [charge: number, vat: number]
}

const ROWS: ReadonlyArray<Row> = [
  { treatment: "domestic", medium: [999, 173], reduced: [899, 156], upgrade: [1_000, 174] },
  { treatment: "oss", medium: [999, 173], reduced: [899, 156], upgrade: [1_000, 174] },
  { treatment: "reverse_charge", medium: [839, 0], reduced: [755, 0], upgrade: [841, 0] },
  { treatment: "outside_scope", medium: [839, 0], reduced: [755, 0], upgrade: [841, 0] },
  { treatment: "exempt", medium: [839, 0], reduced: [755, 0], upgrade: [841, 0] }
]

const WALLET = 10_000

/** An account of the treatment, and its caller. */
const customer = (treatment: Treatment) =>
  Effect.flatMap(Transaction, ({ run }) =>
    run(Effect.gen(function*() {
      const vat = { treatment, rate: 2_100 }
      const account = { email: "b@example.test", currency: "EUR", vat, at: 0 }
      const accountId = yield* (yield* Accounts).create(account)
      yield* topUp({ accountId, amount: WALLET, reference: "top_up:b", at: 0 })
      return { ...owner, accountId }
    })))

const buy = Effect.fnUntraced(function*(caller: typeof owner, coupon?: string) {
  const body = { service_id: 2, ...(coupon === undefined ? {} : { coupon_code: coupon }) }
  const { instance } = yield* (yield* Transaction).run(placeOrder({ caller, body, key: undefined }))
  yield* (yield* WorkerNotifier).notify
  return instance
})

/** The newest journal's kind, what the wallet paid, and the VAT of it. */
const last = Effect.map(Effect.flatMap(Journals, (book) => book.all), (journals) => {
  const { entries, kind } = journals.at(-1)!
  const sum = (prefix: string) =>
    entries.reduce((total, { account, amount }) => account.startsWith(prefix) ? total + amount : total, 0)
  return [kind, 0 - sum("wallet:"), sum("vat")]
})

/** The VAT rules that it says were applied. */
const explained = Effect.map(Effect.flatMap(Journals, (book) => book.all), (journals) => {
  const { rate, treatment } = journals.at(-1)!.explanation!
  return [treatment, rate]
})

const wallet = ({ accountId }: typeof owner) =>
  Effect.flatMap(Accounts, (accounts) => Effect.map(accounts.find(accountId), (account) => account!.wallet))

describe.each(ROWS)("a customer of $treatment", ({ medium, reduced, treatment, upgrade }) => {
  it.effect("pays for a create, and again for each period", () =>
    Effect.gen(function*() {
      const caller = yield* customer(treatment)
      const instance = yield* buy(caller)
      // The answer is made of what the create has written: it is what the next read shows.
      const read = yield* Effect.flatMap(Instances, (instances) => instances.show(caller.accountId, instance.id))
      assert.deepStrictEqual(instance, read)
      assert.deepStrictEqual(yield* last, ["instance_create", ...medium])
      assert.deepStrictEqual(yield* explained, [treatment, medium[1] === 0 ? 0 : 2_100])
      assert.strictEqual(instance.order.service.pricing!.charge_amount, medium[0] / 100)
      assert.strictEqual(instance.order.service.pricing!.vat_amount, medium[1] / 100)
      yield* elapse(1_500, 500)
      yield* until(at(instance.expires_at!))
      assert.deepStrictEqual(yield* last, ["instance_renew", ...medium])
      assert.strictEqual(yield* wallet(caller), WALLET - 2 * medium[0])
      assert.isTrue((yield* verify).balanced)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("gets the discount off what it pays, with the VAT of the rest, and all of it back", () =>
    Effect.gen(function*() {
      const caller = yield* customer(treatment)
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "no capacity" }))
      yield* buy(caller, "WELCOME10")
      assert.deepStrictEqual(yield* last, ["instance_create", ...reduced])
      yield* elapse(1_000)
      assert.deepStrictEqual(yield* last, ["refund", -reduced[0], 0 - reduced[1]])
      assert.strictEqual(yield* wallet(caller), WALLET)
      assert.isTrue((yield* verify).balanced)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("pays the difference for a resize, counted from the list price, and gets it back when it fails", () =>
    Effect.gen(function*() {
      const caller = yield* customer(treatment)
      const { id } = yield* buy(caller, "WELCOME10")
      yield* elapse(1_200)
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "no" }))
      yield* resize(caller, id, 3)
      // A second or so of the period is over: it takes nothing off, rounded.
      assert.deepStrictEqual(yield* last, ["instance_resize", ...upgrade])
      yield* elapse(1_000)
      assert.deepStrictEqual(yield* last, ["refund", -upgrade[0], 0 - upgrade[1]])
      assert.strictEqual(yield* wallet(caller), WALLET - reduced[0])
      assert.isTrue((yield* verify).balanced)
    }).pipe(Effect.provide(serviceLayer())))
})
