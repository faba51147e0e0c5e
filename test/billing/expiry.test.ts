/** Expiry: the end of an unpaid instance, and its revival by a top-up. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { refundLine, undoExpiry, undoRenewal } from "#service/admin/commands/Wallet"
import { Journals } from "#service/persistence/Journals"
import { setAutoRenew, terminate } from "#service/admin/commands/Instances"
import { nextPeriodEnd } from "#service/domain/Period"
import { resize } from "#service/operations/Resize"
import { placeOrder } from "#service/orders/PlaceOrder"
import { Transaction } from "#service/persistence/Transaction"
import { Rejected, Unavailable } from "#service/provisioning/Driver"
import { execute, rows } from "../support/database.ts"
import { at, emptyWallet, renewals, running, topUp, until, wallet } from "../support/billing.ts"
import { allTasks, buy, deployTime, elapse, owner, serviceLayer, settle, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const { EXPIRY_GRACE_MILLIS, IDEMPOTENCY_RETENTION_MILLIS, TERMINATE_RETRY_MILLIS } = DEFAULT_LIMITS

const DAY = 86_400_000

describe("a wallet that is too low", () => {
  it.effect("lets the instance expire: powered off, in the feed, nothing charged", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(498)
      yield* until(end)
      const shown = yield* show(id)
      assert.deepInclude(shown, { status: "expired", expires_at: new Date(end).toISOString() })
      assert.strictEqual(yield* wallet, 498)
      assert.deepStrictEqual((yield* rows("SELECT power FROM simulated_machines WHERE tag LIKE 'instance-1-%'"))[0], [
        "off"
      ])
      const told = (yield* allTasks).filter(({ type }) => type === "renew" || type === "expire")
      assert.deepStrictEqual(told.map(({ status, type }) => [type, status]), [["renew", "failed"], [
        "expire",
        "succeeded"
      ]])
      assert.strictEqual(told[0]!.error, "The wallet holds 4.98 EUR; the next period costs 4.99 EUR.")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is the same without auto-renewal, with any balance", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      yield* execute("UPDATE instances SET auto_renew = 0")
      yield* until(end)
      assert.strictEqual((yield* show(id)).status, "expired")
      yield* topUp(10_000)
      yield* elapse(1_000)
      assert.strictEqual((yield* show(id)).status, "expired")
      assert.deepStrictEqual(yield* renewals, [])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("and no top-up: the machine is deleted after a grace of 7 days, and its keys 30 days later", () =>
    Effect.gen(function*() {
      yield* (yield* Transaction).run(placeOrder({ caller: owner, body: { service_id: 1 }, key: "k1" }))
      yield* topUp(1)
      yield* deployTime
      yield* emptyWallet(0)
      const end = at((yield* show(1)).expires_at!)
      yield* until(end)
      yield* until(end + EXPIRY_GRACE_MILLIS - 10_000)
      assert.strictEqual((yield* show(1)).status, "expired")
      yield* until(end + EXPIRY_GRACE_MILLIS)
      assert.strictEqual((yield* show(1)).status, "deleted")
      assert.deepStrictEqual(yield* rows("SELECT tag FROM simulated_machines WHERE tag LIKE 'instance-1-%'"), [])
      const replay = placeOrder({ caller: owner, body: { service_id: 1 }, key: "k1" })
      const { instance, replayed } = yield* (yield* Transaction).run(replay)
      assert.deepStrictEqual([instance.id, instance.status, replayed], [1, "deleted", true])
      yield* until(end + EXPIRY_GRACE_MILLIS + IDEMPOTENCY_RETENTION_MILLIS - 10_000)
      assert.lengthOf(yield* rows("SELECT digest FROM idempotency_keys"), 1)
      yield* until(end + EXPIRY_GRACE_MILLIS + IDEMPOTENCY_RETENTION_MILLIS + 10_000)
      assert.deepStrictEqual(yield* rows("SELECT digest FROM idempotency_keys"), [])
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a top-up within the grace", () => {
  it.effect("renews from where the period ended, starts the machine, and keeps the anchor", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(0)
      yield* until(end)
      yield* until(end + EXPIRY_GRACE_MILLIS - DAY)
      assert.deepStrictEqual(yield* topUp(500), { filled: true, renewed: [id], notRenewed: [] })
      yield* elapse(1_500)
      const shown = yield* show(id)
      assert.deepInclude(shown, { status: "running", expires_at: new Date(nextPeriodEnd(0, end)).toISOString() })
      assert.strictEqual(yield* wallet, 1)
      yield* until(end + EXPIRY_GRACE_MILLIS + DAY)
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that is too small changes nothing; what was off stays off", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(0)
      yield* execute("UPDATE instances SET power = 'off'")
      yield* until(end)
      yield* topUp(498, "payment-1")
      assert.strictEqual((yield* show(id)).status, "expired")
      yield* topUp(1, "payment-2")
      yield* elapse(1_500)
      assert.strictEqual((yield* show(id)).status, "stopped")
      assert.strictEqual(yield* wallet, 0)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("counts once: the same payment again renews nothing more", () =>
    Effect.gen(function*() {
      const { end } = yield* running(0)
      yield* until(end)
      assert.isTrue((yield* topUp(2_000)).filled)
      assert.isFalse((yield* topUp(2_000)).filled)
      assert.strictEqual((yield* renewals).length, 1)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that comes while the machine is being powered off renews it when that is done", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(0)
      ;(yield* Upstream).mishaps.push(new Unavailable({ reason: "away" }), new Unavailable({ reason: "away" }))
      yield* TestClock.setTime(end)
      yield* settle
      yield* topUp(499)
      assert.deepStrictEqual(yield* renewals, [])
      yield* elapse(10_000, 500)
      assert.strictEqual((yield* show(id)).status, "running")
      assert.strictEqual((yield* renewals).length, 1)
    }).pipe(Effect.provide(serviceLayer())))
})

describe("money that comes back", () => {
  it.effect("by a refund of another instance renews the expired one, as a top-up does", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(0)
      yield* until(end)
      assert.strictEqual((yield* show(id)).status, "expired")
      const charges = (yield* (yield* Journals).all).filter(({ instanceId, kind }) =>
        kind === "instance_create" && instanceId !== id
      )
      const input = { line: charges.at(-1)!.id, amount: 4.99, reason: "it never worked" }
      yield* refundLine(input)
      yield* elapse(1_500)
      assert.strictEqual((yield* show(id)).status, "running")
      assert.strictEqual(yield* wallet, 0)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("from an order that failed renews the expired one", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(0)
      yield* until(end)
      yield* execute("UPDATE accounts SET wallet = 499 WHERE id = 1")
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "no such image" }))
      const { id: other } = yield* buy({ hostname: "other" })
      yield* elapse(5_000)
      assert.deepStrictEqual([(yield* show(other)).status, (yield* show(id)).status], ["failed", "running"])
      assert.strictEqual(yield* wallet, 0)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("from a resize that failed renews the expired one", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(0)
      yield* until(end)
      yield* execute("UPDATE accounts SET wallet = 499 WHERE id = 1")
      const { id: other } = yield* buy({ hostname: "other" })
      yield* deployTime
      yield* execute("UPDATE accounts SET wallet = 500 WHERE id = 1")
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "too large" }))
      yield* resize(owner, other, 2)
      yield* elapse(10_000)
      assert.strictEqual((yield* show(id)).status, "running")
      assert.strictEqual(yield* wallet, 1)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("from a renewal that was undone renews the expired one", () =>
    Effect.gen(function*() {
      const { id } = yield* running(998)
      const { id: other } = yield* buy({ hostname: "other" })
      yield* deployTime
      const ends = (yield* show(other)).expires_at!
      yield* until(at(ends))
      assert.deepStrictEqual([(yield* show(id)).status, (yield* show(other)).status], ["expired", "running"])
      yield* setAutoRenew({ id: other, auto_renew: false })
      assert.strictEqual((yield* undoRenewal({ id: other })).expires_at, ends)
      yield* elapse(1_500)
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("on any other way keeps the instance when its grace ends: the wallet is read before the deletion", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(0)
      yield* until(end)
      yield* execute("UPDATE accounts SET wallet = 499 WHERE id = 1")
      yield* until(end + EXPIRY_GRACE_MILLIS)
      assert.deepInclude(yield* show(id), {
        status: "running",
        expires_at: new Date(nextPeriodEnd(0, end)).toISOString()
      })
      assert.strictEqual(yield* wallet, 0)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("keeps nothing whose renewal its owner turned off", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      yield* execute("UPDATE instances SET auto_renew = 0")
      yield* until(end)
      yield* until(end + EXPIRY_GRACE_MILLIS)
      assert.strictEqual((yield* show(id)).status, "deleted")
      assert.strictEqual(yield* wallet, 10_000)
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a deletion", () => {
  it.effect("that fails is final: a top-up and auto-renewal charge nothing, and it is tried again", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(0)
      yield* until(end)
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "locked" }))
      yield* until(end + EXPIRY_GRACE_MILLIS)
      const { notRenewed, renewed } = yield* topUp(2_000)
      assert.deepStrictEqual([renewed, notRenewed.map(({ instanceId }) => instanceId)], [[], [id]])
      const { message } = yield* Effect.flip(setAutoRenew({ id, auto_renew: true }))
      assert.include(message, `The deletion of instance ${id} has begun and cannot be undone.`)
      yield* elapse(TERMINATE_RETRY_MILLIS + 2_000, 60_000)
      assert.strictEqual((yield* show(id)).status, "deleted")
      assert.deepStrictEqual([yield* renewals, yield* wallet], [[], 2_000])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("by an operator that fails is as final, with money in the wallet all along", () =>
    Effect.gen(function*() {
      const { id } = yield* running(2_000)
      ;(yield* Upstream).always = new Unavailable({ reason: "away" })
      yield* terminate({ id, reason: "asked" })
      yield* elapse(45 * 60_000, 30_000)
      assert.include((yield* Effect.flip(setAutoRenew({ id, auto_renew: true }))).message, "has begun")
      assert.include((yield* Effect.flip(undoExpiry({ id }))).message, "has begun")
      yield* topUp(1)
      ;(yield* Upstream).always = undefined
      yield* elapse(TERMINATE_RETRY_MILLIS + 2_000, 60_000)
      assert.strictEqual((yield* show(id)).status, "deleted")
      assert.deepStrictEqual([yield* renewals, yield* wallet], [[], 2_001])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that the upstream refuses is tried again an hour later, and not at once", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(0)
      yield* until(end)
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "locked" }))
      yield* until(end + EXPIRY_GRACE_MILLIS)
      const terminations = Effect.map(allTasks, (tasks) => tasks.filter(({ type }) => type === "terminate"))
      assert.deepStrictEqual((yield* terminations).map(({ error, status }) => [status, error]), [["failed", "locked"]])
      assert.strictEqual((yield* show(id)).status, "expired")
      yield* elapse(TERMINATE_RETRY_MILLIS + 2_000, 60_000)
      assert.strictEqual((yield* show(id)).status, "deleted")
      assert.strictEqual((yield* terminations).length, 2)
    }).pipe(Effect.provide(serviceLayer())))
})
