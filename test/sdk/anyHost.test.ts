/** The SDK with hosts that follow the specification and fill everything else otherwise. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { IdleProgress } from "#sdk/client/options/Options"
import { listIn, rawOf, view } from "#sdk/client/host/View"
import { resizeCharge } from "#sdk/client/host/ResizeCharge"
import { AnyHost } from "../anyHost/AnyHost.ts"
import type { StyleName } from "../anyHost/Styles.ts"
import { script, settle } from "./support/scripted.ts"

/** A client of a host whose clock is the test's. */
const clientOf = (style: StyleName) => {
  let now = 0
  const host = AnyHost.unserved(style, () => now)
  const server = script(({ at, request }) => {
    now = Math.max(now, at)
    const { headers, operation: { method }, target } = request
    const key = headers["idempotency-key"]
    const answer = host.answer({
      method,
      url: target,
      authorization: `Bearer ${host.apiKey}`,
      key,
      text: request.body ?? ""
    })
    return { ...answer, text: JSON.stringify(answer.body) }
  })
  return { host, vps: server.client, sent: server.sent }
}

const dataOf = <A, E>(call: Effect.Effect<{ readonly data: A }, E>) =>
  Effect.map(Effect.flatten(settle(call)), ({ data }) => data)

describe.each(["a", "b"] as const)("a host of style %s", (style) => {
  it.effect("sells, shows and changes an instance", () =>
    Effect.gen(function*() {
      const { host, vps } = clientOf(style)
      const order = { service_id: 1, hostname: "web.example.com" }
      assert.deepInclude(yield* dataOf(vps.account.balance()), { wallet_balance: 1000, currency: "EUR" })
      assert.strictEqual((yield* dataOf(vps.instances.dryRun(order))).charge_amount, 4.99)
      const web = yield* dataOf(vps.instances.createAndWait(order, { idempotencyKey: "web-1" }))
      assert.match(web.ipv4!, /^\d+\.\d+\.\d+\.\d+$/)
      const again = yield* dataOf(vps.instances.create(order, { idempotencyKey: "web-1" }))
      assert.strictEqual(again.id, web.id)
      yield* dataOf(vps.instances.hostname(web.id, { hostname: "www.example.com" }))
      yield* dataOf(vps.instances.rdns(web.id, { ip: web.ipv4!, ptr: "www.example.com" }))
      assert.strictEqual(host.machines.all.get(web.id)?.hostname, "www.example.com")
      assert.strictEqual(host.machines.records.get(web.ipv4!), "www.example.com")
      assert.isString((yield* dataOf(vps.instances.resetPassword(web.id))).password)
    }))

  it.effect("ends a wait for the end of a change, and says by which sign", () =>
    Effect.gen(function*() {
      const { host, sent, vps } = clientOf(style)
      const { id } = yield* dataOf(vps.instances.createAndWait({ service_id: 1 }))
      yield* dataOf(vps.power.stop(id))
      const [before] = [sent.at(-1)!.at]
      const signs: Array<IdleProgress["sign"]> = []
      yield* dataOf(vps.instances.waitUntilIdle(id, { onProgress: ({ sign }) => void signs.push(sign) }))
      assert.isFalse(host.machines.all.get(id)?.on)
      assert.deepStrictEqual([signs.at(-1), signs.slice(0, -1).every((sign) => sign === undefined)], [
        "unchanged",
        true
      ])
      assert.isAtMost(sent.at(-1)!.at - before, 80_000)
    }))

  it.effect("boots the rescue system, and waits for it", () =>
    Effect.gen(function*() {
      const { host, vps } = clientOf(style)
      const { id } = yield* dataOf(vps.instances.createAndWait({ service_id: 1 }))
      yield* dataOf(vps.rescue.enterAndWait(id))
      assert.isTrue(host.machines.all.get(id)?.rescue)
    }))

  it.effect("ends the iteration of a feed of any shape", () =>
    Effect.gen(function*() {
      const { vps } = clientOf(style)
      const { id } = yield* dataOf(vps.instances.createAndWait({ service_id: 1 }))
      const pages = vps.tasks.pages(id, { pageSize: 1 })
      let count = 0
      for (let page = yield* dataOf(pages); page.length > 0; page = yield* dataOf(pages)) count += page.length
      assert.isAtMost(count, 2)
    }))

  it.effect("returns any result of a change, and never an error after it", () =>
    Effect.gen(function*() {
      const { vps } = clientOf(style)
      const { id } = yield* dataOf(vps.instances.createAndWait({ service_id: 1 }))
      assert.isDefined(yield* dataOf(vps.instances.resize(id, { service_id: 2 })))
      assert.isDefined(yield* dataOf(vps.account.whoami()))
      assert.isDefined(yield* dataOf(vps.monitoring.status(id)))
    }))
})

describe("a view", () => {
  it("has the documented fields of the documented types, and the others as they are", () => {
    const sent = { status: 3, power: "on", task: { id: "7", type: "stop" }, snapshots: "0 of 3", iso_id: null, rack: 4 }
    assert.deepStrictEqual({ ...view("LiveStatus", sent) } as unknown, {
      power: "on",
      task: { type: "stop" },
      iso_id: null,
      rack: 4
    })
    assert.strictEqual(rawOf(view("LiveStatus", sent)), sent)
  })
  it.each([null, [], "done", 7, true])("of %j has no field", (sent) => {
    assert.deepStrictEqual(Object.keys(view("ActionResult", sent)), [])
    assert.strictEqual(rawOf(view("ActionResult", sent)), sent)
  })
  it("has the id of a snapshot under the names that the specification has for it", () => {
    assert.strictEqual(view("Snapshot", { snap_id: 7 }).id, 7)
    assert.strictEqual(view("Snapshot", { id: "8" }).id, 8)
    assert.isUndefined(view("Snapshot", { id: "a8" }).id)
  })
  it.each([
    [[1], [1]],
    [{ items: [1], others: [2] }, [1]],
    [{ data: { snapshots: [1], total: 1 } }, [1]],
    [{ some: [1], others: [2] }, undefined],
    [{ items: { 1: 1 } }, undefined],
    ["none", undefined]
  ])("of %j finds the list %j", (sent, list) => assert.deepStrictEqual(listIn(sent), list))
})

describe("the charge of a resize", () => {
  const NOW = Date.UTC(2026, 2, 1)
  const instance = (price: number, daysLeft: number, cycle = "monthly") => ({
    expires_at: new Date(NOW + daysLeft * 86_400_000).toISOString(),
    order: { service: { price, billing_cycle: cycle } }
  } as Parameters<typeof resizeCharge>[0])

  it("is the host's, if it shows one", () => {
    const listed = view("AvailablePlan", { id: 2, charge_amount: 3.21, currency: "EUR" })
    assert.deepStrictEqual(resizeCharge(instance(4.99, 15), listed, { price: 9.99 }, undefined, NOW), {
      kind: "shown",
      amount: 3.21,
      currency: "EUR"
    })
  })
  it("is none for a plan that costs no more", () => {
    assert.deepStrictEqual(resizeCharge(instance(9.99, 15), undefined, { price: 4.99 }, undefined, NOW), {
      kind: "none"
    })
  })
  it.each([[30, "monthly", 5], [15, "monthly", 2.5], [-1, "monthly", 0], [15, "every moon", 5]])(
    "is an estimate for %d days of a period that is %s",
    (days, cycle, amount) => {
      const charge = resizeCharge(instance(4.99, days, cycle), undefined, { price: 9.99 }, undefined, NOW)
      assert.deepStrictEqual(charge, { kind: "estimate", amount, currency: undefined })
    }
  )
  it("has the price and the currency of a dry run, where there is one", () => {
    const charge = resizeCharge(instance(4.99, 30), undefined, { price: 9.99 }, { amount: 8.99, currency: "EUR" }, NOW)
    assert.deepStrictEqual(charge, { kind: "estimate", amount: 4, currency: "EUR" })
  })
})
