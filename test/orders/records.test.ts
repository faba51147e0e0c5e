/** The records of a create, the result of a dry run, and the errors of both, word for word. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { HOST_NAME_PROBLEM } from "#service/domain/HostName"
import type { CreateInstance } from "#contract/Instance"
import type { Caller } from "#service/domain/Caller"
import { OrderPolicy, type Placed } from "#service/orders/PlaceOrder"
import { previewOrder } from "#service/orders/PreviewOrder"
import { Accounts } from "#service/persistence/Accounts"
import { IdempotencyKeys } from "#service/persistence/IdempotencyKeys"
import { Journals } from "#service/persistence/Journals"
import { Tasks } from "#service/persistence/Tasks"
import { rows } from "../support/database.ts"
import { editable, plan } from "../support/catalogue.ts"
import { allTasks } from "../support/service.ts"
import { buy, shop, shopLayer, SSH, wallet } from "../support/shop.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { createRates } from "#service/ratelimit/CreateRateLimits"

const RICH = 100_000

/** `printf k1 | sha256sum` */
const K1_SHA256 = "6ab9f1eb8f7d3388f4f9d586f66e99fd54080df2c446f0e58668b09c08a16dd0"

const config = (text: string | null | undefined) => JSON.parse(text!) as unknown
const preview = (caller: Caller, body: CreateInstance, key?: string) =>
  Effect.map(previewOrder({ caller, body, key }), ({ preview }) => preview)

describe("a dry run", () => {
  it.effect("without a key differs from nothing", () =>
    Effect.gen(function*() {
      const caller = yield* shop(RICH)
      assert.deepStrictEqual((yield* previewOrder({ caller, body: { service_id: 1 }, key: undefined })).mismatch, [])
    }).pipe(Effect.provide(shopLayer)))
})

describe("order.config", () => {
  it.effect("shows what was ordered, of the SSH key its fingerprint, of the password nothing", () =>
    Effect.gen(function*() {
      const caller = yield* shop(RICH)
      // As `ssh-keygen -l` prints it, however the parts of the key are set apart.
      const ssh = ` \n${SSH.replaceAll(" ", " \t ")}`
      const body = { service_id: 1, hostname: "web", ssh_pubkey: ssh, root_password: "hunter2hunter2" }
      const { instance } = yield* buy(caller, body, "k1")
      assert.deepStrictEqual(config(instance.order.config), {
        service_id: 1,
        hostname: "web",
        os: "debian-12",
        ssh_key_fingerprint: "SHA256:568uLQul5SDZlJ/SdcWyXsy0HMZgqk3kQqLy4+lpm/s",
        idempotency_key_sha256: K1_SHA256,
        coupon_code: null,
        discount_amount: 0
      })
    }).pipe(Effect.provide(shopLayer)))

  it.effect("says null for what was not", () =>
    Effect.gen(function*() {
      const { instance } = yield* buy(yield* shop(RICH), { service_id: 1, ssh_pubkey: null })
      assert.deepStrictEqual(config(instance.order.config), {
        service_id: 1,
        hostname: null,
        os: "debian-12",
        ssh_key_fingerprint: null,
        idempotency_key_sha256: null,
        coupon_code: null,
        discount_amount: 0
      })
    }).pipe(Effect.provide(shopLayer)))
})

describe("what is written", () => {
  it.effect("is an order, a host name, an image, a period of a month and a task that is due at once", () =>
    Effect.gen(function*() {
      const caller = yield* shop(RICH)
      yield* TestClock.setTime(Date.UTC(2026, 0, 31))
      const { instance, mismatch } = yield* buy(caller, { service_id: 1, hostname: "web", ssh_pubkey: SSH })
      assert.strictEqual(instance.expires_at, "2026-02-28T00:00:00.000Z")
      assert.deepStrictEqual((yield* rows("SELECT hostname, os FROM instances"))[0], ["web", "debian-12"])
      assert.deepStrictEqual(mismatch, [])
      const task = (yield* (yield* Tasks).open(instance.id))!
      assert.deepInclude(task, { runAt: Date.UTC(2026, 0, 31), actor: "api_key", sealed: null })
      assert.deepStrictEqual(config(task.params), { ssh_pubkey: SSH })
      const [charge] = (yield* (yield* Journals).all).slice(1)
      assert.deepInclude(charge, { kind: "instance_create", currency: "EUR", accountId: caller.accountId })
      assert.hasAllKeys(charge!.explanation, ["plan", "price", "treatment", "rate"])
    }).pipe(Effect.provide(shopLayer)))

  it.effect("without an SSH key says so to the worker", () =>
    Effect.gen(function*() {
      yield* buy(yield* shop(RICH), { service_id: 1 })
      assert.deepStrictEqual(config((yield* allTasks)[0]!.params), { ssh_pubkey: null })
    }).pipe(Effect.provide(shopLayer)))

  it.effect("uses one of the account's creates if they are limited, and returns the number left", () =>
    Effect.gen(function*() {
      const caller = yield* shop(RICH)
      const left = ({ rates }: Placed) => rates?.map(({ remaining }) => remaining)
      const bought = Effect.map(buy(caller, { service_id: 1 }), left)
      const limited = Effect.provideService(bought, OrderPolicy, {
        createRates: createRates(DEFAULT_LIMITS),
        strict: false
      })
      assert.deepStrictEqual([yield* limited, yield* limited], [[9, 59], [8, 58]])
      assert.isFalse("rates" in (yield* buy(caller, { service_id: 1 })))
      assert.deepStrictEqual(yield* limited, [7, 57])
    }).pipe(Effect.provide(shopLayer)))

  it.effect("is nothing when the money went between the look at the wallet and the debit", () =>
    Effect.gen(function*() {
      const caller = yield* shop(RICH)
      const accounts = yield* Accounts
      const faster = { ...accounts, debitCreate: () => Effect.succeed(false) }
      const tried = Effect.provideService(buy(caller, { service_id: 1 }, "k1"), Accounts, faster)
      assert.deepInclude(yield* Effect.flip(tried), { charge: 499, wallet: RICH, currency: "EUR" })
      assert.deepStrictEqual([yield* allTasks, yield* wallet(caller)], [[], RICH])
      const claim = yield* (yield* IdempotencyKeys).find(caller, K1_SHA256)
      assert.isUndefined(claim)
    }).pipe(Effect.provide(shopLayer)))
})

describe("a dry run", () => {
  const told = { dry_run: true, service_id: 1, plan_name: "Plan 1", billing_cycle: "monthly", currency: "EUR" }

  it.effect("returns everything that a create would do, to the last cent of the wallet", () =>
    Effect.gen(function*() {
      const caller = yield* shop(499)
      const expected = { ...told, charge_amount: 4.99, discount_amount: 0, wallet_balance: 4.99 }
      assert.deepStrictEqual(yield* preview(caller, { service_id: 1 }), {
        ...expected,
        would_create: true,
        sufficient_funds: true
      })
    }).pipe(Effect.provide(shopLayer)))

  it.effect("returns the same for a purchase of its key, and that nothing more would be bought", () =>
    Effect.gen(function*() {
      const caller = yield* shop(500)
      yield* buy(caller, { service_id: 1 }, "k1")
      const expected = { ...told, charge_amount: 0, discount_amount: 0, wallet_balance: 0.01 }
      assert.deepStrictEqual(yield* preview(caller, { service_id: 1 }, "k1"), {
        ...expected,
        would_create: false,
        sufficient_funds: true
      })
    }).pipe(Effect.provide(shopLayer)))
})

describe("a refusal", () => {
  it.effect.each<readonly [CreateInstance, object]>([
    [{ service_id: 99 }, { _tag: "PlanNotFound", planId: 99, outOfStock: false }],
    [{ service_id: 2 }, { _tag: "PlanNotFound", planId: 2, outOfStock: false }],
    [{ service_id: 4 }, { _tag: "PlanNotFound", planId: 4, outOfStock: true }],
    [{ service_id: 3 }, { _tag: "PlanNotOrderable", planId: 3, category: "hosting" }],
    [{ service_id: 6 }, { _tag: "CurrencyMismatch", plan: "USD", wallet: "EUR" }],
    [{ service_id: 7 }, { field: "os", problem: "is required: this plan has no default image" }],
    [{ service_id: 1, hostname: "-web" }, {
      field: "hostname",
      problem: HOST_NAME_PROBLEM
    }]
  ])("of %j says %j", ([body, reason]) =>
    Effect.gen(function*() {
      const caller = yield* shop(RICH)
      const catalogue = yield* editable
      yield* catalogue.addDataCenter({ id: 2, label: "Helsinki" })
      yield* catalogue.addPlan(plan(7, { dataCenterId: 2 }))
      assert.deepInclude(yield* Effect.flip(buy(caller, body)), reason)
    }).pipe(Effect.provide(shopLayer)))

  it.effect("is a defect when the account of a valid key is missing", () =>
    Effect.gen(function*() {
      const caller = yield* shop(RICH)
      const exit = yield* Effect.exit(preview({ ...caller, accountId: 99 }, { service_id: 1 }))
      assert.include(String(exit), "account 99 is missing")
    }).pipe(Effect.provide(shopLayer)))
})
