/** An order keeps the plan as it was sold: a change of the catalogue is for new orders and resizes. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { approveTask } from "#service/admin/commands/Tasks"
import { monthsAfter } from "#service/domain/Calendar"
import { taskPage } from "#service/instances/Feed"
import { availablePlans, resize } from "#service/operations/Resize"
import { Database } from "#service/persistence/sqlite/Database"
import { SimulatedMachines } from "#service/persistence/SimulatedMachines"
import { at, emptyWallet, renewals, topUp, until, wallet } from "../support/billing.ts"
import { operationTime, running } from "../support/instances.ts"
import { allTasks, buy, elapse, owner, serviceLayer, show } from "../support/service.ts"

const change = (assignments: string, id: number) =>
  Effect.map(Database, ({ connection }) => connection.exec(`UPDATE plans SET ${assignments} WHERE id = ${id}`))

const machine = (id: number) => Effect.flatMap(SimulatedMachines, ({ find }) => find(`instance-${id}`))

describe("an order of a plan that has changed since", () => {
  it.effect("shows the plan as it was sold; a new order shows the new one", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const before = (yield* show(id)).order
      yield* change("price = 599, name = 'Other', specs = '{}', slug = 'other', is_active = 0", 1)
      assert.deepStrictEqual((yield* show(id)).order, before)
      yield* change("is_active = 1", 1)
      const { order } = yield* show((yield* buy()).id)
      assert.deepInclude(order.service, { id: 1, price: 5.99, name: "Other", slug: "other", specs: "{}" })
      assert.deepStrictEqual((yield* show(id)).order, before)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("renews at its own price, and the feed says what was charged", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* change("price = 9999", 1)
      yield* until(monthsAfter(0, 1))
      assert.deepStrictEqual((yield* renewals).map(({ entries }) => entries[0]!.amount), [-499])
      assert.strictEqual(yield* wallet, 100_000 - 2 * 499)
      assert.strictEqual((yield* show(id)).order.service.price, 4.99)
      const { items } = yield* taskPage(owner, id, { limit: 20, offset: 0 })
      assert.deepInclude(items.find(({ type }) => type === "renew"), { charge_amount: 4.99, currency: "EUR" })
      assert.deepInclude(items.find(({ type }) => type === "provision"), { charge_amount: null, currency: null })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is prorated from its own price to the new price of the target", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* change("price = 9999", 1)
      yield* change("price = 1099", 2)
      const [target] = yield* availablePlans(owner, id)
      assert.deepInclude(target, { id: 2, price: 10.99, charge_amount: 6, direction: "upgrade" })
      assert.strictEqual((yield* resize(owner, id, 2)).charge_amount, 6)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("gets the machine that was sold, though its deployment was held", () =>
    Effect.gen(function*() {
      yield* change("auto_deploy = 0", 1)
      const { id } = yield* buy()
      const { specs } = (yield* show(id)).order.service
      yield* change("specs = '{}', slug = 'other'", 1)
      yield* approveTask({ id: (yield* allTasks)[0]!.id })
      yield* elapse(2_000)
      assert.deepInclude(yield* machine(id), { plan: "vps-s", specs })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("and is resized gets the plan as it was when the resize was requested", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* resize(owner, id, 2)
      yield* change("price = 9999, name = 'Other', slug = 'other'", 2)
      yield* operationTime
      assert.deepInclude((yield* show(id)).order.service, { id: 2, price: 9.99, name: "VPS M", slug: "vps-m" })
      assert.strictEqual((yield* machine(id))!.plan, "vps-m")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("an expired instance", () => {
  it.effect("shows until when a top-up renews it, and no more once it is renewed", () =>
    Effect.gen(function*() {
      const id = yield* running()
      assert.isNull((yield* show(id)).renewable_until)
      yield* emptyWallet(0)
      const end = at((yield* show(id)).expires_at!)
      yield* until(end)
      const shown = yield* show(id)
      assert.deepInclude(shown, { status: "expired" })
      const { connection } = yield* Database
      const graceUntil = connection.prepare("SELECT grace_until FROM instances WHERE id = 1").get()!["grace_until"]
      assert.strictEqual(at(shown.renewable_until!), graceUntil)
      connection.exec("UPDATE instances SET auto_renew = 0")
      assert.isNull((yield* show(id)).renewable_until)
      connection.exec("UPDATE instances SET auto_renew = 1")
      yield* topUp(10_000)
      assert.deepInclude(yield* show(id), { renewable_until: null })
    }).pipe(Effect.provide(serviceLayer())))
})
