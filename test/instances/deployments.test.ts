/** Deployments that wait for approval, that take long, and that fail. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { monthsAfter } from "#service/domain/Period"
import { approveTask } from "#service/admin/commands/Tasks"
import { listInstances } from "#service/instances/Read"
import { operate } from "#service/operations/Power"
import { availablePlans } from "#service/operations/Resize"
import { placeOrder } from "#service/orders/PlaceOrder"
import { Tasks } from "#service/persistence/Tasks"
import { UNRECONCILED } from "#service/operations/Registry"
import { Transaction } from "#service/persistence/Transaction"
import { Rejected } from "#service/provisioning/Driver"
import { WorkerNotifier } from "#service/runtime/WorkerNotifier"
import { execute } from "../support/database.ts"
import { at, renewals, until, wallet } from "../support/billing.ts"
import { allTasks, buy, deployTime, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** An instance whose deployment waits for approval. */
const held = Effect.gen(function*() {
  yield* execute("UPDATE plans SET auto_deploy = 0 WHERE id = 1")
  const { id } = yield* buy()
  yield* elapse(1_000)
  return id
})

const approve = Effect.flatMap(allTasks, ([task]) => approveTask({ id: task!.id }))

describe("a deployment that is held", () => {
  it.effect("refuses changes because it waits for approval, not because it is busy", () =>
    Effect.gen(function*() {
      const id = yield* held
      assert.strictEqual((yield* Effect.flip(operate(owner, id, "start")))._tag, "AwaitsApproval")
      assert.deepStrictEqual(yield* availablePlans(owner, id), [])
      yield* approve
      assert.strictEqual((yield* Effect.flip(operate(owner, id, "start")))._tag, "InstanceBusy")
      yield* deployTime
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("begins the paid period at its end: one period is paid and used, however long it was held", () =>
    Effect.gen(function*() {
      const id = yield* held
      yield* until(45 * DAY)
      assert.strictEqual((yield* show(id)).status, "pending")
      yield* approve
      yield* deployTime
      const deployed = (yield* allTasks)[0]!.finishedAt!
      const end = monthsAfter(deployed, 1)
      assert.strictEqual((yield* show(id)).expires_at, new Date(end).toISOString())
      assert.strictEqual(yield* wallet, 100_000 - 499)
      assert.deepStrictEqual(yield* renewals, [])
      const [upgrade] = yield* availablePlans(owner, id)
      assert.strictEqual(upgrade!.charge_amount, 5, "a whole period is left")
      yield* until(end)
      assert.lengthOf(yield* renewals, 1)
      assert.strictEqual((yield* show(id)).expires_at, new Date(monthsAfter(deployed, 2)).toISOString())
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each([[HOUR - 5_000, "the order"], [HOUR + 5_000, "its end"]] as const)(
    "for %i ms begins the paid period at %s",
    ([wait, from]) =>
      Effect.gen(function*() {
        const id = yield* held
        const ordered = at((yield* show(id)).expires_at!)
        yield* TestClock.setTime(wait)
        yield* approve
        yield* deployTime
        assert.strictEqual(at((yield* show(id)).expires_at!) > ordered, from === "its end")
      }).pipe(Effect.provide(serviceLayer()))
  )
})

const KEY = "the-key-of-one-purchase"

const buyWithKey = Effect.gen(function*() {
  const order = placeOrder({ caller: owner, body: { service_id: 1 }, key: KEY })
  const placed = yield* (yield* Transaction).run(order)
  yield* (yield* WorkerNotifier).notify
  return placed
})

/** An instance whose deployment is refused, bought under a key. */
const failed = Effect.gen(function*() {
  ;(yield* Upstream).mishaps.push(new Rejected({ reason: "no" }))
  const { instance: { id } } = yield* buyWithKey
  yield* elapse(2_000)
  return id
})

const listed = Effect.map(listInstances(owner), (instances) => instances.map(({ id }) => id))

describe("an instance whose deployment failed", () => {
  it.effect("has no period to renew, and nothing to resize to", () =>
    Effect.gen(function*() {
      const id = yield* failed
      assert.deepInclude(yield* show(id), { status: "failed", auto_renew: false, expires_at: null })
      assert.deepStrictEqual(yield* availablePlans(owner, id), [])
      const { _tag } = yield* Effect.flip(operate(owner, id, "start"))
      assert.strictEqual(_tag, "InvalidState")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("holds its key for a day, then the key buys again", () =>
    Effect.gen(function*() {
      const id = yield* failed
      yield* until(DAY - 5_000)
      assert.deepInclude(yield* buyWithKey, { replayed: true })
      yield* until(DAY + 2_000)
      const again = yield* buyWithKey
      assert.isFalse(again.replayed)
      assert.notStrictEqual(again.instance.id, id)
      assert.strictEqual(yield* wallet, 100_000 - 499)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("leaves the list after 30 days", () =>
    Effect.gen(function*() {
      const id = yield* failed
      yield* until(30 * DAY - 5_000)
      assert.deepStrictEqual(yield* listed, [id])
      yield* until(30 * DAY + 2_000)
      assert.deepStrictEqual(yield* listed, [])
      assert.strictEqual((yield* Effect.flip(operate(owner, id, "start")))._tag, "InstanceNotFound")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("and whose remains could not be deleted is a leftover for operators, also when it is not listed", () =>
    Effect.gen(function*() {
      const refused = new Rejected({ reason: "no" })
      ;(yield* Upstream).mishaps.push(refused, refused)
      yield* buyWithKey
      yield* elapse(2_000)
      yield* until(30 * DAY + 2_000)
      assert.deepStrictEqual(yield* listed, [])
      const left = yield* (yield* Tasks).unreconciled(UNRECONCILED, 10)
      assert.deepStrictEqual(left.map(({ type }) => type), ["terminate"])
    }).pipe(Effect.provide(serviceLayer())))
})
