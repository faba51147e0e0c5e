/** The mails about the turns of a contract, in the order in which its owner gets them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Rejected } from "#service/provisioning/Driver"
import { ACCOUNTS_USE_CASES } from "#service/admin/commands/Accounts"
import { suspend, terminate, unsuspend } from "#service/admin/commands/Instances"
import { debitWallet, movePaymentTo } from "#service/admin/commands/Wallet"
import { rows } from "../support/database.ts"
import { running, topUp, until, wallet } from "../support/billing.ts"
import { operationTime } from "../support/instances.ts"
import { Mailbox } from "../support/mailbox.ts"
import { buy, deployTime, elapse, serviceLayer } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"

const DAY = 86_400_000
const GRACE = 7 * DAY

const subjects = Effect.map(Mailbox, ({ received }) => received.map(({ subject }) => subject))

const kinds = Effect.map(
  rows<[string]>("SELECT kind FROM mails WHERE kind <> 'ordered' ORDER BY id"),
  (all) => all.map(([kind]) => kind)
)

const words = (mail: { readonly text: Redacted.Redacted<string> }) => Redacted.value(mail.text).replaceAll(/\s+/g, " ")

const text = (index: number) => Effect.map(Mailbox, ({ received }) => words(received.at(index)!))

/** Day by day, as an owner who does nothing lives. */
const days = Effect.fnUntraced(function*(from: number, to: number) {
  for (let at = from; at <= to; at += DAY / 2) yield* until(at)
})

describe("an owner who does not pay", () => {
  it.effect("is reminded 7, 3 and 1 days before, and of the deletion 3 and 1 days before, once each", () =>
    Effect.gen(function*() {
      const { end } = yield* running(200)
      yield* days(end - 8 * DAY, end + GRACE + 2 * DAY)
      assert.deepStrictEqual(yield* kinds, [
        "renewal_due",
        "renewal_due",
        "renewal_due",
        "expired",
        "deletion_due",
        "deletion_due",
        "deleted"
      ])
      const [reminder, , last, expired, , deletion, deleted] = yield* subjects
      assert.match(reminder!, /^2\.99 EUR are missing for your renewals, from /)
      assert.strictEqual(last, `Last reminder: ${reminder}`)
      assert.match(expired!, /^web \(instance 1\) has expired, and will be deleted on .* UTC$/)
      assert.match(deletion!, /^Last reminder: web \(instance 1\) will be deleted on .* UTC$/)
      assert.strictEqual(deleted, "web (instance 1) is deleted")
      assert.include(yield* text(0), "web (instance 1): 4.99 EUR on")
      assert.include(yield* text(0), "Your wallet holds 2.00 EUR, so 2.99 EUR are missing.")
      assert.include(yield* text(3), "top up your wallet until it holds 4.99 EUR, before")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("gets no mail about a renewal that the wallet pays for, nor after a payment", () =>
    Effect.gen(function*() {
      const { end } = yield* running(200)
      yield* days(end - 6.5 * DAY, end - 5 * DAY)
      assert.deepStrictEqual(yield* kinds, ["renewal_due"])
      yield* topUp(299)
      yield* days(end - 4 * DAY, end + DAY)
      assert.deepStrictEqual(yield* kinds, ["renewal_due", "payment_booked"])
      assert.strictEqual(yield* wallet, 0)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("with two instances and money for one of them gets one mail with both, and the sum", () =>
    Effect.gen(function*() {
      const { id: other } = yield* buy({ hostname: "db" })
      yield* deployTime
      const { end, id } = yield* running(600)
      yield* days(end - 6.5 * DAY, end - 6 * DAY)
      assert.deepStrictEqual(yield* kinds, ["renewal_due"])
      const mail = yield* text(0)
      assert.include(mail, `db (instance ${other}): 4.99 EUR on`)
      assert.include(mail, `web (instance ${id}): 4.99 EUR on`)
      assert.include(mail, "Your wallet holds 6.00 EUR, so 3.98 EUR are missing.")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("an owner gets a mail", () => {
  it.effect("about an order, with its charge and its renewal, once", () =>
    Effect.gen(function*() {
      const { id } = yield* buy({ hostname: "web" })
      yield* deployTime
      yield* elapse(2_000)
      const [mail, ...others] = (yield* Mailbox).confirmations
      assert.deepStrictEqual(others, [])
      assert.strictEqual(mail!.subject, `Your order of VPS S: web (instance ${id})`)
      assert.match(
        words(mail!),
        /^You have ordered web \(instance 1\): VPS S with Debian 12\. 4\.99 EUR were charged to your wallet, which/
      )
      assert.match(words(mail!), / It is renewed on .* UTC for 4\.99 EUR, until you turn that off\. $/)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("about a payment, with what it renewed, and about one that is taken back, with what is owed", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(100)
      yield* until(end + DAY)
      assert.strictEqual((yield* topUp(399)).filled, true)
      assert.strictEqual((yield* topUp(399)).filled, false, "it is booked once")
      yield* elapse(2_000)
      assert.deepStrictEqual((yield* subjects).slice(-1), ["Your payment of 3.99 EUR is booked"])
      assert.include(
        yield* text(-1),
        `web (instance ${id}) is renewed until March 1, 1970 at 00:00 UTC, and powered on if it was before`
      )
      yield* debitWallet({ account_id: 1, amount: 3.99, payout: true, reason: "chargeback" })
      yield* elapse(2_000)
      assert.deepStrictEqual((yield* subjects).slice(-1), ["3.99 EUR were taken from your wallet"])
      assert.include(
        yield* text(-1),
        "was taken back from your wallet on February 2, 1970 at 00:00 UTC: chargeback You owe 3.99 EUR now."
      )
      assert.include(yield* text(-1), "Pay it before March 1, 1970 at 00:00 UTC, when that begins.")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("about a payment that was booked on a wrong account, as does the owner of that account", () =>
    Effect.gen(function*() {
      const { id } = yield* ACCOUNTS_USE_CASES["accounts.create"]({
        email: "other@example.test",
        currency: "EUR",
        vat_treatment: "domestic",
        vat_rate: 19
      })
      yield* topUp(500, "top_up:payment-1")
      yield* movePaymentTo({ reference: "payment-1", to_account_id: id, reason: "wrong account" })
      yield* elapse(2_000)
      const mails = (yield* Mailbox).received.map(({ subject, to }) => `${to}: ${subject}`)
      assert.deepStrictEqual(mails, [
        "owner@example.test: Your payment of 5.00 EUR is booked",
        "owner@example.test: 5.00 EUR were taken from your wallet",
        "other@example.test: Your payment of 5.00 EUR is booked"
      ])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("about a suspension with its reason and its price, and about its end", () =>
    Effect.gen(function*() {
      const { id } = yield* running(1_000)
      yield* suspend({ id, reason: "It sends spam." })
      yield* elapse(2_000)
      yield* unsuspend({ id })
      yield* elapse(2_000)
      assert.deepStrictEqual(yield* subjects, [
        "web (instance 1) is suspended",
        "The suspension of web (instance 1) has ended"
      ])
      assert.include(yield* text(0), "It sends spam.")
      assert.include(yield* text(0), "Its paid period pauses, so the suspension costs nothing.")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("about a deployment that failed, with the refund", () =>
    Effect.gen(function*() {
      yield* buy({ service_id: 2 })
      yield* elapse(5_000, 1_000)
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "no capacity" }))
      yield* buy({ hostname: "web" })
      yield* operationTime
      yield* elapse(2_000)
      assert.deepStrictEqual(yield* subjects, ["The deployment of web (instance 2) failed"])
      assert.include(yield* text(0), "4.99 EUR are back in your wallet.")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("about an instance that an operator ends", () =>
    Effect.gen(function*() {
      const { id } = yield* running(1_000)
      yield* terminate({ id, reason: "abuse" })
      yield* elapse(2_000)
      assert.include(yield* text(-1), "because your host has ended it")
    }).pipe(Effect.provide(serviceLayer())))
})
