/** Top-ups, and periods that are taken back. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { undoExpiry, undoRenewal } from "#service/admin/commands/Wallet"
import { setAutoRenew, suspend } from "#service/admin/commands/Instances"
import { statementOf } from "#service/billing/Statement"
import { takeBackExpiry, takeBackRenewal } from "#service/billing/TakeBack"
import { verify } from "#service/ledger/Ledger"
import { chargePeriod } from "#service/operations/Renew"
import { resize } from "#service/operations/Resize"
import { Instances } from "#service/persistence/Instances"
import { Journals } from "#service/persistence/Journals"
import { Transaction } from "#service/persistence/Transaction"
import { execute } from "../support/database.ts"
import { at, renewals, running, until, wallet } from "../support/billing.ts"
import { Mailbox } from "../support/mailbox.ts"
import { allTasks, coreLayer, elapse, owner, serviceLayer, settle, show } from "../support/service.ts"
import { fillWallet, setBalance } from "#service/billing/TopUp"
import { queueing, WorkerNotifier } from "#service/runtime/WorkerNotifier"

const DAY = 86_400_000

const refusal = <A, E extends { readonly _tag: string; readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag, message }) => {
    assert.strictEqual(_tag, "CommandRejected")
    return message
  })

const run = <A, E, R>(useCase: Effect.Effect<A, E, R>) => Effect.flatMap(Transaction, (one) => one.run(useCase))
const subscriptionOf = (id: number) =>
  Effect.flatMap(Instances, ({ subscriptions }) => Effect.map(subscriptions.find(id), (found) => found!))

const mails = Effect.map(
  Mailbox,
  ({ received }) => received.map(({ subject, text, to }) => ({ to, subject, text: Redacted.value(text) }))
)

/** An instance whose period ended early: the clock was ahead. */
const endedEarly = Effect.fnUntraced(function*(left: number) {
  const { end, id } = yield* running(left)
  const early = (yield* TestClock.testClockWith(({ currentTimeMillis }) => currentTimeMillis)) + DAY
  yield* execute(`UPDATE instances SET expires_at = ${early} WHERE id = ${id}`)
  yield* until(early)
  return { id, end, early }
})

describe("the renewal of an instance", () => {
  it.effect("is refunded, and its period ends where it ended before", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      yield* until(end)
      yield* setAutoRenew({ id, auto_renew: false })
      const undone = yield* undoRenewal({ id })
      assert.deepStrictEqual(undone, {
        instance_id: id,
        result: "Its last renewal was a mistake and was undone. 4.99 EUR were refunded.",
        expires_at: new Date(end).toISOString()
      })
      assert.strictEqual(yield* wallet, 10_000)
      const journals = yield* (yield* Journals).all
      const [renewal] = yield* renewals
      const refund = journals.at(-1)!
      assert.strictEqual(refund.reference, `refund:${renewal!.reference}`)
      assert.deepStrictEqual(refund.entries.map(({ amount }) => amount), [499, -419, -80])
      assert.isTrue((yield* verify).balanced)
      const audit = (yield* allTasks).findLast(({ type }) => type === "undo_renew")
      assert.deepInclude(audit, { kind: "audit", actor: "admin", status: "succeeded", instanceId: id })
      assert.include(yield* refusal(undoRenewal({ id })), "so there is nothing to undo")
      yield* elapse(2_000)
      const [correction, ...others] = (yield* mails).filter(({ subject }) => subject.startsWith("Correction"))
      assert.deepStrictEqual(others, [])
      assert.deepInclude(correction, { to: "owner@example.test", subject: `Correction for web (instance ${id})` })
      assert.include(correction!.text, `web (instance ${id}): ${undone.result} It is paid until `)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is charged again, as often as needed, when its period is over in truth", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      yield* until(end)
      yield* setAutoRenew({ id, auto_renew: false })
      yield* undoRenewal({ id })
      for (const count of [2, 3]) {
        yield* execute(`UPDATE instances SET auto_renew = 1 WHERE id = ${id}`)
        yield* elapse(2_000)
        yield* settle
        const all = yield* renewals
        assert.strictEqual(all.at(-1)!.reference, `${all[0]!.reference}:${count}`)
        assert.strictEqual(yield* wallet, 9_501)
        yield* setAutoRenew({ id, auto_renew: false })
        yield* undoRenewal({ id })
      }
      assert.strictEqual(yield* wallet, 10_000)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("stays while it would only be charged again", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      yield* until(end)
      const message = yield* refusal(undoRenewal({ id }))
      assert.include(message, `The period before the renewal ended at ${new Date(end).toISOString()}`)
      assert.include(message, `instances auto-renew ${id} off`)
      const subscription = yield* subscriptionOf(id)
      assert.include((yield* Effect.flip(run(takeBackRenewal(subscription, end)))).message, "renewed again")
      assert.strictEqual(yield* wallet, 9_501)
      yield* run(takeBackRenewal(subscription, end - 1))
      assert.strictEqual(yield* wallet, 10_000, "a renewal that came too early is not repeated at once")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is refunded to a suspended instance, too, and its mail waits for the mail server", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      yield* until(end)
      yield* setAutoRenew({ id, auto_renew: false })
      yield* suspend({ id, reason: "spam" })
      yield* elapse(2_000)
      ;(yield* Mailbox).refusals = 3
      yield* undoRenewal({ id })
      yield* elapse(1_800_000, 30_000)
      assert.strictEqual(yield* wallet, 10_000)
      assert.deepInclude((yield* mails).at(-1), { subject: `Correction for web (instance ${id})` })
      const feed = (yield* allTasks).filter(({ type }) => type === "undo_renew")
      assert.deepStrictEqual(feed.map(({ status }) => status), ["succeeded"])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is refunded with the resizes of its period, so that a month costs what its plan does", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      yield* until(end)
      yield* resize(owner, id, 2)
      yield* elapse(2_000)
      yield* setAutoRenew({ id, auto_renew: false })
      const paid = 10_000 - (yield* wallet)
      assert.isAbove(paid, 499)
      const { result } = yield* undoRenewal({ id })
      assert.include(result, `${paid / 100} EUR were refunded.`)
      assert.strictEqual(yield* wallet, 10_000)
      assert.isTrue((yield* verify).balanced)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("of two that are paid ahead leaves the resize's share of the other; both are on its line", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      yield* until(end)
      yield* setAutoRenew({ id, auto_renew: false })
      const subscription = yield* subscriptionOf(id)
      assert.isUndefined(yield* run(chargePeriod(subscription, end)))
      const before = yield* wallet
      const { expires_at: paidUntil } = yield* show(id)
      yield* resize(owner, id, 2)
      yield* elapse(2_000)
      assert.strictEqual(before - (yield* wallet), 1_000, "the difference of 5.00 EUR, for two months")
      const [line] = yield* statementOf(1, { before: null, since: null, until: null }, 1)
      assert.deepInclude(line, { amount: -10, period_to: paidUntil })
      const { result } = yield* undoRenewal({ id })
      assert.include(result, "9.99 EUR were refunded.")
      assert.strictEqual(before - (yield* wallet), 500 - 499)
      yield* undoRenewal({ id })
      assert.strictEqual(yield* wallet, 10_000)
      assert.include(yield* refusal(undoRenewal({ id })), "nothing to undo")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that cost nothing is undone, too", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      yield* execute("UPDATE orders SET price = 0")
      yield* until(end)
      yield* setAutoRenew({ id, auto_renew: false })
      assert.isAbove(at((yield* show(id)).expires_at!), end)
      const { expires_at: until_, result } = yield* undoRenewal({ id })
      assert.strictEqual(result, "Its last renewal was a mistake and was undone. Nothing had to be refunded.")
      assert.strictEqual(at(until_), end)
      assert.include(yield* refusal(undoRenewal({ id })), "nothing to undo")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that was none, and the one of an expired instance, cannot be undone", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(100)
      yield* setAutoRenew({ id, auto_renew: false })
      assert.include(yield* refusal(undoRenewal({ id })), "was not renewed at")
      yield* until(end)
      yield* elapse(2_000)
      assert.include(yield* refusal(undoRenewal({ id })), `Instance ${id} is expired`)
      assert.include(yield* refusal(undoRenewal({ id: 99 })), "Instance 99 not found")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("the expiry of an instance", () => {
  it.effect("is undone, with its power, while its period is paid", () =>
    Effect.gen(function*() {
      const { end, id } = yield* endedEarly(100)
      yield* elapse(2_000)
      assert.strictEqual((yield* show(id)).status, "expired")
      const message = yield* refusal(undoExpiry({ id }))
      assert.include(message, "so it would expire again. Top up the wallet, or turn renewal on")
      yield* execute(`UPDATE instances SET expires_at = ${end} WHERE id = ${id}`)
      const undone = yield* undoExpiry({ id })
      const result = "Its expiry was a mistake and was undone."
      assert.deepInclude(undone, { result, expires_at: new Date(end).toISOString() })
      yield* elapse(2_000)
      assert.strictEqual((yield* show(id)).status, "running")
      assert.strictEqual(at((yield* show(id)).expires_at!), end)
      const audit = (yield* allTasks).findLast(({ type }) => type === "undo_expire")
      assert.deepInclude(audit, { kind: "audit", actor: "admin", status: "succeeded" })
      assert.deepInclude((yield* allTasks).find(({ type }) => type === "start"), { actor: "admin" })
      assert.deepInclude((yield* mails).at(-1), { subject: `Correction for web (instance ${id})` })
      assert.include(yield* refusal(undoExpiry({ id })), `Instance ${id} is active`)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("does not end a suspension", () =>
    Effect.gen(function*() {
      const { id } = yield* running(100)
      yield* suspend({ id, reason: "spam" })
      yield* elapse(2_000)
      yield* execute(`UPDATE instances SET lifecycle = 'expired', resume_power = 'on' WHERE id = ${id}`)
      yield* undoExpiry({ id })
      yield* elapse(10_000)
      assert.strictEqual((yield* show(id)).status, "suspended")
      assert.deepInclude((yield* allTasks).at(-1), { type: "undo_expire", status: "succeeded", kind: "audit" })
      assert.notInclude((yield* allTasks).map(({ type }) => type), "start")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("stays when its period has ended, and does not power on a stopped one", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(100)
      yield* execute(
        `UPDATE instances SET lifecycle = 'expired', power = 'off', resume_power = 'off' WHERE id = ${id}`
      )
      const subscription = yield* subscriptionOf(id)
      assert.include((yield* Effect.flip(run(takeBackExpiry(subscription, end)))).message, "would expire again")
      yield* run(takeBackExpiry(subscription, end - 1))
      yield* elapse(2_000)
      assert.strictEqual((yield* show(id)).status, "stopped")
      assert.notInclude((yield* allTasks).map(({ type }) => type), "start")
    }).pipe(Effect.provide(serviceLayer())))
})

const newest = Effect.map(Effect.flatMap(Journals, (book) => book.all), (journals) => {
  const { entries, kind, reference } = journals.at(-1)!
  return [kind, reference, entries[0]!.amount]
})

const settleAt = (balance: number, accountId = 1) => setBalance({ accountId, balance, reference: "r", at: 0 })

describe("a wallet that is to hold a balance", () => {
  it.effect("is filled up to it", () =>
    Effect.gen(function*() {
      yield* settleAt(100_001)
      assert.deepStrictEqual(yield* newest, ["top_up", "top_up:r", 1])
      assert.deepStrictEqual([yield* wallet, (yield* verify).balanced], [100_001, true])
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is paid out down to it, to nothing too", () =>
    Effect.gen(function*() {
      yield* settleAt(0)
      assert.deepStrictEqual(yield* newest, ["payout", "refund:top_up:r", -100_000])
      assert.deepStrictEqual([yield* wallet, (yield* verify).balanced], [0, true])
    }).pipe(Effect.provide(coreLayer())))

  it.effect("that it already has, or of a missing account, changes nothing", () =>
    Effect.gen(function*() {
      const before = yield* newest
      yield* settleAt(100_000)
      yield* settleAt(7, 99)
      assert.deepStrictEqual(yield* newest, before)
    }).pipe(Effect.provide(coreLayer())))
})

describe("a payment", () => {
  it.effect("for a missing account, or that was booked before, is rejected", () =>
    Effect.gen(function*() {
      const payment = { accountId: 1, amount: 5, reference: "p", at: 0 }
      assert.isFalse((yield* fillWallet({ ...payment, accountId: 99 })).filled)
      assert.isTrue((yield* fillWallet(payment)).filled)
      assert.isFalse((yield* fillWallet(payment)).filled)
      assert.strictEqual(yield* wallet, 100_005)
    }).pipe(Effect.provide(coreLayer())))

  it.effect.each(["fills", "settles"])(
    "that %s the wallet starts expired machines immediately, not at the next poll",
    (how) =>
      Effect.gen(function*() {
        const { end, id } = yield* running(0)
        yield* until(end)
        assert.strictEqual((yield* show(id)).status, "expired")
        const payment = { accountId: 1, reference: "p", at: end + 1_000 }
        yield* how === "fills" ? fillWallet({ ...payment, amount: 499 }) : setBalance({ ...payment, balance: 499 })
        yield* settle
        assert.deepInclude((yield* allTasks).at(-1), { type: "start", status: "running" })
        assert.strictEqual((yield* renewals).length, 1)
        yield* elapse(1_000)
        assert.strictEqual((yield* show(id)).status, "running")
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect("that sets a balance, and pays for no expired instance, does not notify the worker", () =>
    Effect.gen(function*() {
      const woken: Array<string> = []
      const payment = { accountId: 1, reference: "p", at: 0 }
      const works = Effect.all([
        setBalance({ ...payment, balance: 7_000 }),
        setBalance({ ...payment, balance: 7_001 })
      ])
      yield* Effect.provideService(works, WorkerNotifier, queueing(Effect.sync(() => void woken.push("worker"))))
      assert.deepStrictEqual([yield* wallet, woken], [7_001, []])
    }).pipe(Effect.provide(coreLayer())))
})
