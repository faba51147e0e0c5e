/** `bulk`: a bounded number of items at once, a result for each, and one purchase per name. `account.balance`. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { makeClient } from "#sdk/client/Client"
import { ArgumentError, IdempotencyMismatchError, PaymentRequiredError, Vps } from "#sdk/index"
import { startEmulator } from "#sdk/testing/index"
import { script, settle } from "./support/scripted.ts"

const offline = () => makeClient({ apiKey: "key-1", baseUrl: "http://127.0.0.1:9/api/v1" })

describe("bulk.each", () => {
  it.effect("works on at most `concurrency` items at once, and returns results in their order", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const started: Array<number> = []
      const work = (item: number) =>
        Effect.andThen(
          Effect.sync(() => started.push(item)),
          Effect.andThen(Deferred.await(gate), item === 2 ? Effect.fail("broken") : Effect.succeed(item * 10))
        )
      const running = yield* Effect.forkChild(offline().bulk.each([1, 2, 3, 4], work, { concurrency: 2 }))
      yield* Effect.yieldNow
      while (started.length < 2) yield* Effect.yieldNow
      assert.deepStrictEqual(started, [1, 2])
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Fiber.join(running), [
        { ok: true, item: 1, data: 10 },
        { ok: false, item: 2, error: "broken" },
        { ok: true, item: 3, data: 30 },
        { ok: true, item: 4, data: 40 }
      ])
    }))

  it.each([0, 1.5, 65, Number.NaN])("refuses a concurrency of %s", async (concurrency) => {
    const vps = new Vps({ apiKey: "key-1", baseUrl: "http://127.0.0.1:9/api/v1" })
    const error = await vps.bulk.each([1], async () => 1, { concurrency }).catch((cause: unknown) => cause)
    assert.instanceOf(error, ArgumentError)
    assert.include((error as Error).message, "concurrency must be an integer from 1 to 64")
  })

  it("takes functions that return promises, reject or throw", async () => {
    const vps = new Vps({ apiKey: "key-1", baseUrl: "http://127.0.0.1:9/api/v1" })
    const problem = new Error("no")
    const work = (item: string) => {
      if (item === "throws") throw problem
      return item === "rejects" ? Promise.reject(problem) : Promise.resolve(item.length)
    }
    assert.deepStrictEqual(await vps.bulk.each(new Set(["works", "rejects", "throws"]), work), [
      { ok: true, item: "works", data: 5 },
      { ok: false, item: "rejects", error: problem },
      { ok: false, item: "throws", error: problem }
    ])
  })
})

describe("bulk.createAndWait", () => {
  it.effect("buys all of twenty under a limit of ten creates per minute, with the default concurrency", () =>
    Effect.gen(function*() {
      let bought = 0
      const server = script(({ at }) => {
        // A burst of ten, then one every six seconds.
        const wait = (bought - 9) * 6000 - at
        if (wait > 0) {
          const headers = { "retry-after": String(Math.ceil(wait / 1000)) }
          return { status: 429, headers, body: { detail: "slow down" } }
        }
        return { status: 201, body: { id: ++bought, status: "running", provider_id: "sim", ipv4: "10.0.0.7" } }
      })
      const orders = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`web-${at}`, { service_id: 1 }]))
      const results = yield* Effect.flatten(settle(server.client.bulk.createAndWait(orders)))
      assert.deepStrictEqual(results.map((one) => one.ok ? "bought" : one.error.message), Array(20).fill("bought"))
      assert.strictEqual(bought, 20)
    }))

  it("buys each name once, and another prefix buys others", async () => {
    await using emulator = await startEmulator({ seed: { wallet: 17, deploy: { mode: "instant" } } })
    const vps = emulator.client()
    const orders = {
      "web-1": { service_id: 1, hostname: "web-1.example.com" },
      "web-2": { service_id: 1, hostname: "web-2.example.com" },
      huge: { service_id: 3 }
    }
    const [first, second, huge] = await vps.bulk.createAndWait(orders, { keyPrefix: "shop-" })
    assert.deepStrictEqual([first?.item, second?.item, huge?.item], ["web-1", "web-2", "huge"])
    if (first?.ok !== true || second?.ok !== true || huge?.ok !== false) throw new Error("two of three were bought")
    assert.isString(first.data.ipv4)
    assert.instanceOf(huge.error, PaymentRequiredError)
    assert.strictEqual(huge.error.idempotencyKey, "shop-huge")
    const again = await vps.bulk.createAndWait(orders, { keyPrefix: "shop-" })
    assert.deepStrictEqual(again.map((result) => result.ok && result.data.id), [first.data.id, second.data.id, false])
    const [other] = await vps.bulk.createAndWait({ "web-1": orders["web-1"] }, { keyPrefix: "blog-" })
    assert.strictEqual(other?.ok === true && other.data.id !== first.data.id, true)
    assert.lengthOf(await vps.instances.list(), 3)
  })
})

describe("a key that has bought another order", () => {
  it("is an error with the instance and the fields, unless it is accepted", async () => {
    await using emulator = await startEmulator({ seed: { deploy: { mode: "instant" } } })
    const vps = emulator.client()
    const bought = await vps.instances.create({ service_id: 1, hostname: "a.example.com" }, { idempotencyKey: "web" })
    const other = { service_id: 2, hostname: "b.example.com" }
    const error = await vps.instances.create(other, { idempotencyKey: "web" }).catch((reason: unknown) => reason)
    assert.instanceOf(error, IdempotencyMismatchError)
    assert.deepInclude(error.toJSON(), { instanceId: bought.id, idempotencyKey: "web" })
    assert.deepStrictEqual(error.fields, ["hostname", "service_id"])
    assert.strictEqual(error.instance?.order.service_id, 1)
    assert.include(error.message, "has already bought instance 1 with another order (hostname, service_id)")
    const [entry] = await vps.bulk.createAndWait({ web: other })
    assert.isTrue(entry?.ok === false && entry.error instanceof IdempotencyMismatchError)
    const accepted = await vps.instances.create(other, { idempotencyKey: "web", onMismatch: "accept" })
    assert.strictEqual(accepted.id, bought.id)
    assert.lengthOf(await vps.instances.list(), 1)
  })
})

describe("account.balance", () => {
  it("is the wallet's, and buys nothing", async () => {
    await using emulator = await startEmulator({ seed: { wallet: 12.34 } })
    const vps = emulator.client()
    assert.deepStrictEqual(await vps.account.balance(), { wallet_balance: 12.34, currency: "EUR" })
    assert.deepStrictEqual(await vps.instances.list(), [])
  })
  it.effect("fails without a plan", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(script([{ status: 200, body: [] }]).client.account.balance())
      assert.strictEqual(error._tag, "DecodeError")
      assert.include(error.message, "the service lists no plan")
    }))
})
