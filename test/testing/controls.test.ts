/** Every typed control works, and rejects invalid requests with the reason. */
import {
  ForbiddenError,
  NotFoundError,
  PaymentRequiredError,
  ProvisioningFailedError,
  UnauthorizedError,
  type Vps
} from "@pulumi-vps/sdk"
import { EmulatorError, type FaultRule, type RunningEmulator, startEmulator } from "@pulumi-vps/testing"
import { hash } from "node:crypto"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { operations } from "../support/operations.ts"
import { rejection } from "../support/rejection.ts"
import { assertLike } from "../support/like.ts"

describe("the controls", () => {
  let emulator: RunningEmulator
  let vps: Vps

  beforeAll(async () => {
    emulator = await startEmulator({ seed: { deploy: { mode: "instant" } } })
    vps = emulator.client()
  })
  beforeEach(() => emulator.reset())
  afterAll(() => emulator.stop())

  const buy = () => vps.instances.create({ service_id: 1 })
  const statusOf = async (id: number) => (await vps.instances.get(id)).status

  it("freeze, advance and release the clock", async () => {
    await emulator.deploy.after({ minutes: 10 })
    const { frozen, now } = await emulator.clock.freeze()
    assert.isTrue(frozen)
    const { id } = await buy()
    const moved = await emulator.clock.advance(599_999)
    assert.strictEqual(Date.parse(moved.now) - Date.parse(now), 599_999)
    assert.strictEqual(await statusOf(id), "provisioning")
    await emulator.clock.advance("1 millis")
    assert.strictEqual(await statusOf(id), "running")
    assert.deepStrictEqual(await emulator.clock.now(), {
      now: new Date(Date.parse(now) + 600_000).toISOString(),
      frozen
    })
    assert.isFalse((await emulator.clock.release()).frozen)
  })

  it("reject an invalid advance of the clock, and change nothing", async () => {
    const { now } = await emulator.clock.freeze()
    for (const duration of [-1, 0.5, Infinity, "20000 days"] as const) {
      assertLike(await rejection(emulator.clock.advance(duration)), { _tag: "EmulatorError", status: 422 })
    }
    assert.strictEqual((await emulator.clock.now()).now, now)
  })

  it("reject a text that is not a duration, as a program without types may pass it", async () => {
    for (const duration of ["31 dayz", undefined, Number.NaN] as unknown as ReadonlyArray<number>) {
      for (const control of [emulator.clock.advance, emulator.deploy.after]) {
        const error = await control(duration).catch((reason: unknown) => reason)
        assert.instanceOf(error, EmulatorError)
        assert.strictEqual(error.status, undefined)
        assert.match(
          error.message,
          /^Invalid duration: (31 dayz|undefined|NaN)\. Pass milliseconds, a text like "31 days"/
        )
      }
    }
  })

  it("deploy instantly, after a time, after reads, or with a failure", async () => {
    assert.deepStrictEqual(await emulator.deploy.after("2 seconds"), { mode: "after_ms", value: 2_000 })
    assert.deepStrictEqual(await emulator.deploy.afterPolls(2), { mode: "after_polls", value: 2 })
    const first = await buy()
    assert.notStrictEqual(await statusOf(first.id), "running")
    assert.strictEqual(await statusOf(first.id), "running")
    assert.deepStrictEqual(await emulator.deploy.instant(), { mode: "instant", value: 0 })
    await emulator.deploy.failing({ count: 1 })
    assert.instanceOf(await rejection(vps.instances.createAndWait({ service_id: 1 })), ProvisioningFailedError)
    assert.strictEqual((await vps.instances.createAndWait({ service_id: 1 })).status, "running")
    const paid = (await emulator.wallet.statement()).statement.map(({ amount, kind }) => [kind, amount])
    const create = ["instance_create", -4.99]
    assert.deepStrictEqual(paid, [create, ["refund", 4.99], create, create, ["top_up", 1_000]])
  })

  it("lose a response, which the client retries and the log has", async () => {
    const rule = await emulator.faults.add({ operation: "instances.create", drop_connection: "after", count: 1 })
    assert.deepInclude(rule, { operation: "instances.create", hits: 0 })
    const idempotencyKey = "deploy-2027-01"
    await vps.instances.create({ service_id: 1 }, { idempotencyKey })
    const [dropped, again] = await emulator.requests.list()
    const sent = { method: "POST", idempotency_key_sha256: hash("sha256", idempotencyKey, "hex") }
    assert.deepInclude(dropped, { ...sent, replayed: false })
    assert.deepInclude(again, { ...sent, replayed: true, status: 201 })
    assert.strictEqual((await vps.instances.list()).length, 1)
    assert.deepInclude((await emulator.faults.list())[0], { id: rule.id, hits: 1 })
    await emulator.faults.clear()
    assert.deepStrictEqual(await emulator.faults.list(), [])
  })

  it("accept a fault of every kind for every operation", async () => {
    for (const operation of Object.keys(operations) as Array<keyof typeof operations>) {
      assert.strictEqual((await emulator.faults.add({ operation, status: 418 })).operation, operation)
    }
    const others: Array<FaultRule> = [
      { operation: "driver.snapshot_create", driver: "lost_answer", probability: 0.5, seed: 7 },
      { operation: "driver.provision", driver: "unavailable", count: 2, latency_ms: 5 },
      { operation: "services.list", drop_connection: "before" },
      { operation: "services.list", latency_ms: 1 }
    ]
    for (const rule of others) assert.deepInclude(await emulator.faults.add(rule), rule)
    await emulator.faults.clear()
  })

  it("set a wallet, top it up, and read its statement", async () => {
    assert.strictEqual(await emulator.wallet.set(4.98), 4.98)
    assert.instanceOf(await rejection(buy()), PaymentRequiredError)
    assert.strictEqual(await emulator.wallet.topUp(0.01), 4.99)
    await buy()
    const wallet = await emulator.wallet.statement()
    assert.deepInclude(wallet, { account_id: 1, balance: 0, currency: "EUR" })
    assert.deepInclude(wallet.statement[0], { kind: "instance_create", amount: -4.99 })
    assert.isTrue((await emulator.ledger()).balanced)
  })

  it("create accounts, and mint and revoke keys", async () => {
    const { account_id, api_key } = await emulator.accounts.create({ email: "b@example.test", wallet: 9.99 })
    const theirs = emulator.client({ apiKey: api_key })
    assert.deepInclude(await theirs.account.whoami(), { account_id, email: "b@example.test" })
    await theirs.instances.create({ service_id: 2 })
    assert.strictEqual((await emulator.wallet.statement(account_id)).balance, 0)
    assert.strictEqual(await emulator.wallet.topUp(5, account_id), 5)
    assert.strictEqual(await emulator.wallet.set(3, account_id), 3)
    const key = await emulator.keys.mint({ scopes: ["vps:read"], account_id })
    const reader = emulator.client({ apiKey: key.api_key })
    assert.strictEqual((await reader.instances.list()).length, 1)
    assert.instanceOf(await rejection(reader.instances.create({ service_id: 1 })), ForbiddenError)
    await emulator.keys.revoke(key.id)
    assert.instanceOf(await rejection(reader.instances.list()), UnauthorizedError)
  })

  it("save, list and restore states", async () => {
    await buy()
    const saved = await emulator.states.save("one-instance")
    await buy()
    await emulator.wallet.set(0)
    assert.deepStrictEqual(await emulator.states.list(), [saved])
    assert.deepInclude(await emulator.states.restore("one-instance"), saved)
    assert.strictEqual((await vps.instances.list()).length, 1)
    assert.strictEqual((await emulator.wallet.statement()).balance, 995.01)
    assertLike(await rejection(emulator.states.restore("never")), { status: 404 })
    assertLike(await rejection(emulator.states.save("../a b")), { status: 404 })
  })

  it("list the requests, and clear their list", async () => {
    await vps.services.list()
    await emulator.requests.clear()
    await vps.instances.dryRun({ service_id: 1 })
    assert.deepStrictEqual(await emulator.requests.list(), [{
      method: "POST",
      path: "/api/v1/instances",
      query: "dry_run=true",
      status: 200,
      idempotency_key_sha256: null,
      replayed: false
    }])
  })

  it("list the tasks", async () => {
    const { id } = await buy()
    assert.strictEqual(await statusOf(id), "running")
    await vps.power.stop(id)
    const [newest, task] = await emulator.tasks()
    assert.deepInclude(newest, { instance_id: id, type: "stop" })
    assert.deepInclude(task, { instance_id: id, type: "provision", status: "succeeded" })
  })

  it("suspend an instance, create a coupon, and import a catalogue by the operator's commands", async () => {
    const { id } = await vps.instances.createAndWait({ service_id: 1 })
    await emulator.admin("instances.suspend", { id, reason: "abuse" })
    assert.strictEqual(await statusOf(id), "suspended")
    await emulator.admin("coupons.create", { code: "HALF", percent: 50, once_per_account: false })
    const preview = await vps.instances.dryRun({ service_id: 1, coupon_code: "HALF" })
    assert.strictEqual(preview.charge_amount, 2.49)
    const plan = (await emulator.admin("catalogue.export", {})).plans.find((each) => each.id === 1)!
    const document = { plans: [{ ...plan, out_of_stock: true }] }
    await emulator.admin("catalogue.import", { document, dry_run: false })
    assert.instanceOf(await rejection(buy()), NotFoundError)
  })

  it("reject with the status, a message, and the validation errors", async () => {
    const error = await emulator.wallet.topUp(-1).catch((reason: unknown) => reason)
    assert.instanceOf(error, EmulatorError)
    assert.deepInclude(error, { name: "EmulatorError", _tag: "EmulatorError", status: 422 })
    assert.strictEqual(error.message, "amount: Input should be greater than or equal to 0")
    assert.deepStrictEqual(error.issues.map(({ loc }) => loc), [["body", "amount"]])
    const missing = await emulator.wallet.statement(99).catch((reason: unknown) => reason)
    assert.deepInclude(missing, { status: 404, message: "Account not found.", issues: [] })
    const refused = await emulator.admin("instances.suspend", { id: 99, reason: "abuse" }).catch((e: unknown) => e)
    assert.instanceOf(refused, EmulatorError)
  })
})
