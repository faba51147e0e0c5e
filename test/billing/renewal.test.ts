/** Renewal (service.md §3): the anchor day, expiry when the wallet is too low, the grace, and a top-up within it. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { endPeriod, renewReference } from "#service/billing/Renewal"
import { fillWallet } from "#service/billing/TopUp"
import { nextPeriodEnd } from "#service/domain/Calendar"
import { verify } from "#service/ledger/Ledger"
import { EXPIRY_GRACE_MILLIS, IDEMPOTENCY_RETENTION_MILLIS, TERMINATE_RETRY_MILLIS } from "#service/Limits"
import { placeOrder } from "#service/orders/PlaceOrder"
import { Accounts } from "#service/persistence/Accounts"
import { LedgerBook } from "#service/persistence/Ledger"
import { Database } from "#service/persistence/sqlite/Database"
import { Transaction } from "#service/persistence/Transaction"
import { Rejected, Unavailable } from "#service/provisioning/Driver"
import { allTasks, buy, coreLayer, deployTime, elapse, owner, serviceLayer, settle, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR

const at = (text: string): number => Date.parse(text)

/** Lets all work go on until a moment. */
const until = Effect.fnUntraced(function*(moment: number) {
  yield* TestClock.setTime(moment)
  yield* elapse(1_500, 300)
})

const renewals = Effect.map(
  Effect.flatMap(LedgerBook, (book) => book.journals),
  (journals) => journals.filter(({ kind }) => kind === "instance_renew")
)

const wallet = Effect.flatMap(Accounts, (accounts) => Effect.map(accounts.find(1), (account) => account!.wallet))

/** Spends the wallet down to an amount, through the ledger: a plan of that price, bought and left alone. */
const emptyWallet = (left: number) =>
  Effect.gen(function*() {
    const price = (yield* wallet) - left
    const { connection } = yield* Database
    connection.exec(`INSERT INTO plans SELECT 99, name, 'big', description, ${price}, currency, billing_cycle, category,
      specs, data_centre_id, is_active, out_of_stock, 0, created_at FROM plans WHERE id = 1`)
    yield* buy({ service_id: 99 })
    assert.strictEqual(yield* wallet, left)
  })

const topUp = (amount: number, reference = "payment-1") =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => fillWallet({ accountId: 1, amount, reference, at: now }))

/** Bought and running, with as much in the wallet as said. */
const running = Effect.fnUntraced(function*(left: number) {
  const { id } = yield* buy({ hostname: "web" })
  yield* deployTime
  yield* emptyWallet(left)
  return { id, end: at((yield* show(id)).expires_at!) }
})

describe("the anchor day", () => {
  it.each([
    ["2026-01-31T10:00:00.000Z", ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]],
    ["2027-12-31T23:59:59.999Z", ["2028-01-31", "2028-02-29", "2028-03-31"]],
    ["2026-03-15T00:00:00.000Z", ["2026-04-15", "2026-05-15"]]
  ])("of %s is kept: %j", (anchor, expected) => {
    let end = nextPeriodEnd(at(anchor), at(anchor))
    for (const day of expected) {
      assert.strictEqual(new Date(end).toISOString(), `${day}${anchor.slice(10)}`)
      end = nextPeriodEnd(at(anchor), end)
    }
  })

  it.effect("is kept by an instance that is renewed: Jan 31, Feb 28, Mar 31", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(at("2026-01-31T10:00:00.000Z"))
      const { id } = yield* buy()
      yield* deployTime
      const ends = []
      for (let period = 0; period < 3; period++) {
        const end = (yield* show(id)).expires_at!
        ends.push(end)
        yield* until(at(end))
      }
      assert.deepStrictEqual(ends.map((end) => end.slice(0, 19)), [
        "2026-02-28T10:00:00",
        "2026-03-31T10:00:00",
        "2026-04-30T10:00:00"
      ])
      assert.strictEqual(yield* wallet, 100_000 - 4 * 499)
    }).pipe(Effect.provide(serviceLayer())))
})

describe("the end of a period", () => {
  it.effect("charges the next one, not a moment too early, and tells the feed", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      yield* TestClock.setTime(end - 1)
      yield* settle
      assert.deepStrictEqual(yield* renewals, [])
      yield* until(end)
      const [renewal] = yield* renewals
      assert.strictEqual(renewal!.reference, renewReference({ orderId: 1, expiresAt: end }))
      assert.deepStrictEqual(renewal!.entries.map(({ amount }) => amount), [-499, 419, 80])
      assert.strictEqual(yield* wallet, 9_501)
      const shown = yield* show(id)
      assert.deepInclude(shown, { status: "running", expires_at: new Date(nextPeriodEnd(0, end)).toISOString() })
      assert.deepInclude((yield* allTasks).at(-1), { type: "renew", status: "succeeded", actor: "system", error: null })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("charges the list price, not the coupon price", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(DAY)
      const { expires_at: end } = yield* buy({ coupon_code: "WELCOME10" })
      yield* deployTime
      assert.strictEqual(yield* wallet, 100_000 - 449)
      yield* until(at(end!))
      assert.strictEqual(yield* wallet, 100_000 - 449 - 499)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("charges every period that passed while the service was away, each once", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      yield* deployTime
      yield* until(at("1970-04-15T00:00:00.000Z"))
      assert.deepStrictEqual((yield* renewals).map(({ reference }) => reference.slice(-24, -14)), [
        "1970-02-01",
        "1970-03-01",
        "1970-04-01"
      ])
      assert.strictEqual((yield* show(id)).expires_at!.slice(0, 10), "1970-05-01")
      assert.isTrue((yield* verify).balanced)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that many meet at once, or again after a crash, charges once", () =>
    Effect.gen(function*() {
      yield* buy()
      const { connection } = yield* Database
      connection.exec("UPDATE instances SET lifecycle = 'active'")
      connection.exec("UPDATE tasks SET status = 'succeeded'")
      const end = at((yield* show(1)).expires_at!)
      const { run } = yield* Transaction
      yield* Effect.all(Array.from({ length: 20 }, () => run(endPeriod(1, end))), { concurrency: "unbounded" })
      assert.strictEqual((yield* renewals).length, 1)
      // The crash: the charge was rolled back with all that belongs to it, and comes again whole.
      const crash = Effect.andThen(endPeriod(1, nextPeriodEnd(0, end)), Effect.die("crash"))
      yield* Effect.exit(run(crash))
      assert.strictEqual((yield* renewals).length, 1)
      yield* run(endPeriod(1, nextPeriodEnd(0, end)))
      assert.strictEqual((yield* renewals).length, 2)
      assert.strictEqual(yield* wallet, 100_000 - 3 * 499)
    }).pipe(Effect.provide(coreLayer())))

  it.effect("waits for an operation that is open, and comes when it is done", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      yield* TestClock.setTime(end - 1_000)
      ;(yield* Upstream).hold = Effect.sleep(5_000)
      const { run } = yield* Transaction
      yield* run(Effect.gen(function*() {
        const { connection } = yield* Database
        connection.exec(`INSERT INTO tasks (instance_id, kind, type, status, progress, actor, params, attempts, run_at,
          fence, created_at) VALUES (${id}, 'operation', 'restart', 'queued', 0, 'api_key', '{}', 0, 0, 0, 0)`)
      }))
      yield* topUp(0)
      yield* elapse(2_000)
      assert.deepStrictEqual(yield* renewals, [])
      yield* elapse(5_000)
      assert.strictEqual((yield* renewals).length, 1)
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a wallet that is too low", () => {
  it.effect("lets the instance expire: powered off, told in the feed, nothing charged", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(498)
      yield* until(end)
      const shown = yield* show(id)
      assert.deepInclude(shown, { status: "expired", expires_at: new Date(end).toISOString() })
      assert.strictEqual(yield* wallet, 498)
      const { one } = yield* Database
      assert.deepStrictEqual(one("SELECT power FROM simulated_machines WHERE tag = 'instance-1'")(), ["off"])
      const told = (yield* allTasks).filter(({ instanceId }) => instanceId === id).slice(1)
      assert.deepStrictEqual(told.map(({ status, type }) => [type, status]), [["renew", "failed"], [
        "expire",
        "succeeded"
      ]])
      assert.strictEqual(told[0]!.error, "The wallet holds 4.98 EUR; the next period costs 4.99 EUR.")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is the same for who does not want to renew, whatever the wallet holds", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      ;(yield* Database).connection.exec("UPDATE instances SET auto_renew = 0")
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
      const { all } = yield* Database
      assert.deepStrictEqual(all("SELECT tag FROM simulated_machines WHERE tag = 'instance-1'")(), [])
      const replay = placeOrder({ caller: owner, body: { service_id: 1 }, key: "k1" })
      const { instance, replayed } = yield* (yield* Transaction).run(replay)
      assert.deepStrictEqual([instance.id, instance.status, replayed], [1, "deleted", true])
      yield* until(end + EXPIRY_GRACE_MILLIS + IDEMPOTENCY_RETENTION_MILLIS - 10_000)
      assert.strictEqual(all("SELECT digest FROM idempotency_keys")().length, 1)
      yield* until(end + EXPIRY_GRACE_MILLIS + IDEMPOTENCY_RETENTION_MILLIS + 10_000)
      assert.deepStrictEqual(all("SELECT digest FROM idempotency_keys")(), [])
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a top-up within the grace", () => {
  it.effect("renews from where the period ended, starts the machine, and keeps the anchor", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(0)
      yield* until(end)
      yield* until(end + EXPIRY_GRACE_MILLIS - DAY)
      assert.isTrue(yield* topUp(500))
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
      ;(yield* Database).connection.exec("UPDATE instances SET power = 'off'")
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
      assert.isTrue(yield* topUp(2_000))
      assert.isFalse(yield* topUp(2_000))
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

describe("a deletion", () => {
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
