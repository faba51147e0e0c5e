/** `@pulumi-vps/testing`: emulators start with their options, are independent, and stop completely. */
import { ConnectionError, RateLimitError, UnauthorizedError, Vps } from "@pulumi-vps/sdk"
import { EmulatorError, type EmulatorOptions, startEmulator } from "@pulumi-vps/testing"
import { assert, describe, it } from "vitest"
import { rejection } from "../support/rejection.ts"
import { assertLike } from "../support/like.ts"
import { until } from "../support/until.ts"

const MONTH_END = "2027-01-31T10:00:00.000Z"

const refusal = async (options: object) => {
  const error: unknown = await startEmulator(options).then((running) => running.stop(), (reason: unknown) => reason)
  assert.instanceOf(error, EmulatorError)
  return error.message
}

describe("an emulator", () => {
  it("is the real service: buys, runs, charges, and renews", async () => {
    await using emulator = await startEmulator({ seed: { wallet: 20, deploy: { mode: "instant" } } })
    const vps = emulator.client()
    const instance = await vps.instances.createAndWait({ service_id: 1 })
    assert.deepInclude(instance, { id: 1, status: "running" })
    await emulator.clock.advance("31 days")
    const { balance, statement } = await emulator.wallet.statement()
    assert.strictEqual(balance, 10.02)
    assert.deepStrictEqual(statement.map(({ kind }) => kind), ["instance_renew", "instance_create", "top_up"])
  })

  it("merges its options with the standard seed", async () => {
    await using emulator = await startEmulator({
      seed: {
        wallet: 4.2,
        currency: "EUR",
        vat_treatment: "reverse_charge",
        vat_rate: 7,
        clock: { now: MONTH_END, frozen: true },
        catalogue: {
          plans: [{
            id: 8,
            slug: "vps-xs",
            name: "VPS XS",
            price: 2,
            currency: "EUR",
            category: "vps",
            data_center: "Frankfurt"
          }]
        }
      }
    })
    const vps = emulator.client()
    const plans = await vps.services.list()
    assert.includeMembers(plans.map(({ slug }) => slug), ["vps-s", "vps-xs"])
    const preview = await vps.instances.dryRun({ service_id: 1 })
    assert.deepInclude(preview, { charge_amount: 4.19, wallet_balance: 4.2 })
    assert.deepStrictEqual(await emulator.clock.now(), { now: MONTH_END, frozen: true })
  })

  it("resets to its own seed", async () => {
    const seed = { wallet: 7, deploy: { mode: "instant" }, clock: { now: MONTH_END, frozen: true } } as const
    await using emulator = await startEmulator({ seed })
    const vps = emulator.client()
    await vps.instances.create({ service_id: 1 })
    await emulator.deploy.after("1 hour")
    await emulator.clock.advance({ days: 3 })
    await emulator.clock.release()
    await emulator.reset()
    assert.deepStrictEqual(await emulator.clock.now(), { now: MONTH_END, frozen: true })
    assert.strictEqual((await emulator.wallet.statement()).balance, 7)
    assert.deepStrictEqual(await vps.instances.list(), [])
    const { id } = await vps.instances.create({ service_id: 1 })
    assert.strictEqual((await vps.instances.get(id)).status, "running")
  })

  it("can limit rates and compare bodies like a real server", async () => {
    await using emulator = await startEmulator({ rateLimits: true, strictIdempotency: true })
    const vps = emulator.client({ maxRetries: 0 })
    await vps.instances.create({ service_id: 1 }, { idempotencyKey: "k" })
    const other = vps.instances.create({ service_id: 2 }, { idempotencyKey: "k" })
    assertLike(await rejection(other), { status: 422 })
    const calls = await Promise.allSettled(Array.from({ length: 200 }, () => vps.account.whoami()))
    const refused = calls.flatMap((call) => call.status === "rejected" ? [call.reason as unknown] : [])
    assert.isAbove(refused.length, 0)
    for (const error of refused) assert.instanceOf(error, RateLimitError)
  })

  it("writes its log to the option only", async () => {
    const lines: Array<string> = []
    await using emulator = await startEmulator({
      log: (line) => lines.push(line),
      seed: { deploy: { mode: "instant" } }
    })
    const vps = emulator.client()
    const { id } = await vps.instances.createAndWait({ service_id: 1 })
    await vps.instances.resetPassword(id)
    const parsed = lines.map((line) => JSON.parse(line) as { readonly message: string; readonly url?: string })
    assert.include(parsed.map(({ url }) => url), "/api/v1/instances")
    assert.isTrue(parsed.some(({ message }) => message.startsWith("Mail to owner@example.test")))
  })

  it("is independent of others in the same process", async () => {
    await using first = await startEmulator({ seed: { wallet: 1, clock: { now: MONTH_END, frozen: true } } })
    await using second = await startEmulator()
    assert.notStrictEqual(first.url, second.url)
    await second.faults.add({ operation: "account.whoami", status: 500 })
    await second.deploy.instant()
    await second.clock.advance("1 day")
    await second.client().instances.create({ service_id: 1 })
    assert.deepStrictEqual(await first.clock.now(), { now: MONTH_END, frozen: true })
    assert.deepStrictEqual(await first.requests.list(), [])
    assert.deepStrictEqual([await first.faults.list(), await first.tasks()], [[], []])
    assert.strictEqual((await first.wallet.statement()).balance, 1)
    const { api_key: key } = await second.keys.mint({ scopes: ["vps:read"] })
    const stranger = new Vps({ baseUrl: first.url, apiKey: key })
    assert.instanceOf(await rejection(stranger.account.whoami()), UnauthorizedError)
    await second.stop()
    assert.strictEqual((await first.client().account.whoami()).account_id, 1)
  })
})

describe("a stopped emulator", () => {
  it("frees its port, rejects its controls, and may be stopped again", async () => {
    const emulator = await startEmulator()
    const port = Number(new URL(emulator.url).port)
    await Promise.all([emulator.stop(), emulator.stop()])
    assert.instanceOf(await rejection(emulator.client({ maxRetries: 0 }).account.whoami()), ConnectionError)
    assertLike(await rejection(emulator.clock.now()), { _tag: "EmulatorError", status: undefined })
    assert.instanceOf(await rejection(emulator.admin("plans.list", {})), EmulatorError)
    await using next = await startEmulator({ port })
    assert.strictEqual(next.url, emulator.url)
  })

  it("aborts pending requests", async () => {
    const emulator = await startEmulator()
    await emulator.faults.add({ operation: "account.whoami", latency_ms: 3_600_000 })
    const outcome = emulator.client({ maxRetries: 0 }).account.whoami().catch((reason: unknown) => reason)
    await until(async () => (await emulator.faults.list())[0]?.hits !== 0)
    await emulator.stop()
    assert.instanceOf(await outcome, ConnectionError)
  })

  it("under load leaves only answered and aborted calls", async () => {
    for (let round = 0; round < 5; round++) {
      const emulator = await startEmulator({ seed: { deploy: { mode: "after_ms", value: 2 } } })
      const vps = emulator.client({ maxRetries: 0 })
      const calls = Array.from({ length: 30 }, () => vps.instances.create({ service_id: 1 }))
      const settled = Promise.allSettled(calls)
      await calls[round]!
      await emulator.stop()
      for (const call of await settled) {
        if (call.status === "rejected") assert.instanceOf(call.reason, ConnectionError)
        else assert.deepInclude(call.value, { user_id: 1 })
      }
    }
  })
})

describe("an invalid option is rejected by its name", () => {
  const seeds: Array<[string, EmulatorOptions["seed"] | object]> = [
    ["wallet", { wallet: -1 }],
    ["wallet", { wallet: "20" }],
    ["currency", { currency: "euro" }],
    ["vat_treatment", { vat_treatment: "none" }],
    ["deploy.mode", { deploy: { mode: "later" } }],
    ["clock.now", { clock: { now: "yesterday" } }],
    ["wolet", { wolet: 20 }],
    ["plans", { catalogue: { plans: [{ id: 1 }] } }],
    ["Atlantis", {
      catalogue: {
        plans: [{ id: 8, slug: "a", name: "A", price: 1, currency: "EUR", category: "vps", data_center: "Atlantis" }]
      }
    }]
  ]
  it.each(seeds)("%s: %j", async (name, seed) => {
    assert.include(await refusal({ seed }), name)
  })
  it("a port that is in use, and an invalid one", async () => {
    await using emulator = await startEmulator()
    const port = Number(new URL(emulator.url).port)
    assert.include(await refusal({ port }), `127.0.0.1:${port} is in use`)
    assert.include(await refusal({ port: 70_000 }), "port")
  })
})
