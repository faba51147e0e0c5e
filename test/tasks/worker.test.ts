/** The worker: nothing is lost, nothing is done twice, and a permanent failure is refunded once. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { verify } from "#service/ledger/Ledger"
import { Accounts } from "#service/persistence/Accounts"
import { operate } from "#service/operations/Power"
import { Journals } from "#service/persistence/Journals"
import { Busy, Rejected, Unavailable } from "#service/provisioning/Driver"
import { allTasks, buy, deployTime, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"

const wallet = Effect.flatMap(Accounts, (accounts) => Effect.map(accounts.find(1), (account) => account!.wallet))

const submissions = Effect.map(Upstream, ({ calls }) => calls.filter(({ method }) => method === "submit"))

describe("a paid instance", () => {
  it.effect("is deployed after the set time, and not before", () =>
    Effect.gen(function*() {
      const { id } = yield* buy({ hostname: "web.example.test" })
      yield* elapse(900)
      assert.strictEqual((yield* show(id)).status, "provisioning")
      yield* elapse(200)
      const deployed = yield* show(id)
      assert.strictEqual(deployed.status, "running")
      assert.strictEqual(deployed.provider_id, "sim-1")
      assert.strictEqual(deployed.ipv4, "198.18.0.1")
      assert.deepStrictEqual(JSON.parse(deployed.provider_data!), {
        hostname: "web.example.test",
        os: "debian-12",
        node: "fra-node-1",
        ipv6: "2001:db8:0:1::1"
      })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("gets addresses of its own", () =>
    Effect.gen(function*() {
      const bought = yield* Effect.all(Array.from({ length: 30 }, () => buy()), { concurrency: "unbounded" })
      yield* deployTime
      const shown = yield* Effect.forEach(bought, ({ id }) => show(id))
      assert.strictEqual(new Set(shown.map(({ ipv4 }) => ipv4)).size, 30)
      assert.isTrue(shown.every(({ status }) => status === "running"))
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("gets a name when the customer gave none", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      yield* deployTime
      assert.strictEqual(JSON.parse((yield* show(id)).provider_data!).hostname, "vps-1")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("has its password wiped from the task", () =>
    Effect.gen(function*() {
      yield* buy({ root_password: "correct-horse" })
      assert.isNotNull((yield* allTasks)[0]!.sealed)
      yield* deployTime
      const [task] = yield* allTasks
      assert.strictEqual(task!.status, "succeeded")
      assert.isNull(task!.sealed)
      assert.strictEqual(task!.progress, 100)
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a transient fault", () => {
  it.effect.each([new Busy({ reason: "busy" }), new Unavailable({ reason: "away" }), "lost" as const])(
    "%s is retried and builds one machine",
    (mishap) =>
      Effect.gen(function*() {
        ;(yield* Upstream).mishaps.push(mishap, mishap)
        const { id } = yield* buy()
        yield* elapse(6_000)
        const deployed = yield* show(id)
        assert.strictEqual(deployed.status, "running")
        assert.strictEqual(deployed.provider_id, "sim-1")
        const keys = new Set((yield* submissions).map(({ key }) => key))
        assert.strictEqual(keys.size, 1, "every try carries the same key")
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect("of a host that is down is waited for, and its tries are counted after that", () =>
    Effect.gen(function*() {
      const upstream = yield* Upstream
      const { id } = yield* buy()
      yield* deployTime
      upstream.always = new Busy({ reason: "the host does not respond", isHostDown: true })
      yield* operate(owner, id, "stop")
      const patience = 3 * 60 * 60_000
      yield* elapse(patience, 30_000)
      assert.isAbove((yield* submissions).length, 50)
      const waiting = (yield* allTasks).at(-1)!
      assert.deepInclude(waiting, { type: "stop", status: "queued", attempts: 1 })
      assert.deepInclude(yield* show(id), { status: "stopping" })
      upstream.always = undefined
      upstream.mishaps.push(...Array.from({ length: 5 }, () => new Unavailable({ reason: "away" })))
      yield* elapse(5 * 60_000, 10_000)
      assert.deepInclude(yield* show(id), { status: "stopped" })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("after which it is not repeated is forgotten by the driver, so that nothing waits for it", () =>
    Effect.gen(function*() {
      const upstream = yield* Upstream
      const { id } = yield* buy()
      yield* deployTime
      upstream.always = new Unavailable({ reason: "away" })
      yield* operate(owner, id, "stop")
      yield* elapse(20 * 60_000, 30_000)
      const { id: task, status } = (yield* allTasks).at(-1)!
      assert.strictEqual(status, "failed")
      assert.deepStrictEqual(upstream.abandoned, [`task-${task}-`])
      assert.isTrue(upstream.calls.at(-1)!.key.startsWith(`task-${task}-`))
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("looks the machine up by its tag before it acts again", () =>
    Effect.gen(function*() {
      const upstream = yield* Upstream
      upstream.mishaps.push("lost")
      yield* buy()
      yield* elapse(3_000)
      const asked = upstream.calls.map(({ method }) => method)
      assert.deepStrictEqual(asked.slice(0, 3), ["submit", "find", "poll"])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("of provisioning is borne for 30 minutes, then the money goes back", () =>
    Effect.gen(function*() {
      ;(yield* Upstream).always = new Unavailable({ reason: "away" })
      const before = yield* wallet
      const { id } = yield* buy()
      yield* elapse(29 * 60_000, 5_000)
      assert.strictEqual((yield* show(id)).order.status, "paid")
      yield* elapse(3 * 60_000, 5_000)
      const failed = yield* show(id)
      assert.strictEqual(failed.status, "failed")
      assert.strictEqual(failed.order.status, "refunded")
      assert.strictEqual(yield* wallet, before)
      assert.isTrue((yield* submissions).length > 10)
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a permanent refusal", () => {
  it.effect("ends the task at once and refunds once", () =>
    Effect.gen(function*() {
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "no capacity" }))
      const before = yield* wallet
      const { id, order_id: orderId } = yield* buy()
      yield* elapse(500)
      const failed = yield* show(id)
      assert.strictEqual(failed.status, "failed")
      assert.strictEqual(failed.order.status, "refunded")
      assert.strictEqual(yield* wallet, before)
      const journals = yield* (yield* Journals).all
      const refunds = journals.filter(({ reference }) => reference === `refund:order:${orderId}`)
      assert.strictEqual(refunds.length, 1)
      assert.isTrue((yield* verify).balanced)
      const [task] = yield* allTasks
      assert.deepInclude(task, { status: "failed", error: "no capacity", sealed: null, attempts: 1 })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("takes down what may have been left, by a task of its own", () =>
    Effect.gen(function*() {
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "no capacity" }), new Unavailable({ reason: "away" }))
      const { id } = yield* buy()
      yield* elapse(3_000)
      const [, undo] = yield* allTasks
      assert.deepInclude(undo, { type: "terminate", status: "succeeded", actor: "system", attempts: 2 })
      assert.strictEqual((yield* show(id)).status, "failed")
    }).pipe(Effect.provide(serviceLayer())))
})
