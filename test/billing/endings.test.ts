/** The ends of periods and of grace periods: one condition at a time, without a worker. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { DueTimes } from "#service/persistence/DueTimes"
import { deleteDue, endPeriod, setAutoRenew } from "#service/billing/Renewals"
import { takeBackExpiry } from "#service/billing/TakeBack"
import { operate } from "#service/operations/Power"
import { Instances } from "#service/persistence/Instances"
import { reviveAll, reviveOne } from "#service/operations/Renew"
import { type Lifecycle, LIFECYCLES } from "#service/contract/Words"
import { nextPeriodEnd } from "#service/domain/Period"
import { Transaction } from "#service/persistence/Transaction"
import { execute, rows } from "../support/database.ts"
import { at, emptyWallet, renewals, wallet } from "../support/billing.ts"
import { allTasks, buy, coreLayer, owner, show } from "../support/service.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const { EXPIRY_GRACE_MILLIS, RENEWAL_PAUSE_MILLIS } = DEFAULT_LIMITS

const run = <A, E, R>(useCase: Effect.Effect<A, E, R>) => Effect.flatMap(Transaction, (one) => one.run(useCase))

/** An idle instance with these columns; returns the end of its period. */
const resting = Effect.fnUntraced(function*(as = "lifecycle = 'active'") {
  const { expires_at: end, id } = yield* buy()
  yield* execute(`UPDATE tasks SET status = 'succeeded', finished_at = 0; UPDATE instances SET ${as} WHERE id = ${id}`)
  return { id, end: at(end!) }
})

const GRACE_END = 5_000_000_000
const OFF = ", resume_power = 'off'"
const expired = (more = "") =>
  resting(`lifecycle = 'expired', grace_until = ${GRACE_END}${more === OFF ? "" : ", resume_power = 'on'"}${more}`)

/** An operation that is open. */
const busy = execute("UPDATE tasks SET status = 'queued', finished_at = NULL")

/** The tasks and feed entries since the purchase. */
const came = Effect.map(allTasks, (tasks) => tasks.slice(1).map(({ status, type }) => [type, status]))

/** The lifecycles of instances whose periods end. */
const WITH_PERIOD: ReadonlyArray<Lifecycle> = ["active", "suspended"]

describe("the end of a period", () => {
  it.effect.each(WITH_PERIOD)(
    "renews what is %s, at its very moment",
    (lifecycle) =>
      Effect.gen(function*() {
        const { end, id } = yield* resting(`lifecycle = '${lifecycle}'`)
        yield* run(endPeriod(id, end - 1))
        assert.deepStrictEqual(yield* came, [])
        yield* run(endPeriod(id, end))
        assert.deepStrictEqual(yield* came, [["renew", "succeeded"]])
        assert.strictEqual((yield* show(id)).expires_at, new Date(nextPeriodEnd(0, end)).toISOString())
      }).pipe(Effect.provide(coreLayer()))
  )

  it.effect.each(LIFECYCLES.filter((lifecycle) => !WITH_PERIOD.includes(lifecycle)))(
    "is nothing to what is %s",
    (lifecycle) =>
      Effect.gen(function*() {
        const { end, id } = yield* resting(`lifecycle = '${lifecycle}'`)
        yield* run(endPeriod(id, end))
        assert.deepStrictEqual([yield* came, yield* renewals], [[], []])
      }).pipe(Effect.provide(coreLayer()))
  )

  it.effect("is nothing to what does not exist, and waits while an operation is open", () =>
    Effect.gen(function*() {
      const { end, id } = yield* resting()
      yield* run(endPeriod(99, end))
      yield* busy
      yield* run(endPeriod(id, end))
      assert.deepStrictEqual([yield* came, yield* renewals], [[], []])
    }).pipe(Effect.provide(coreLayer())))

  it.effect("that is not paid for begins a grace of 7 days, with the power state to restore", () =>
    Effect.gen(function*() {
      const { end, id } = yield* resting("lifecycle = 'active', power = 'on'")
      yield* emptyWallet(498)
      yield* execute("UPDATE tasks SET status = 'succeeded', finished_at = 0")
      yield* run(endPeriod(id, end))
      const row = (yield* rows(`SELECT lifecycle, resume_power, grace_until FROM instances WHERE id = ${id}`))[0]
      assert.deepStrictEqual(row, ["expired", "on", end + EXPIRY_GRACE_MILLIS])
      const [told, queued] = (yield* allTasks).slice(2)
      assert.deepInclude(told, { type: "renew", status: "failed", actor: "system", createdAt: end, instanceId: id })
      assert.deepInclude(queued, { type: "expire", status: "queued", actor: "system", runAt: end, params: "{}" })
    }).pipe(Effect.provide(coreLayer())))

  it.effect("that is late by a whole period charges one, and the next one a pause later", () =>
    Effect.gen(function*() {
      const { end, id } = yield* resting()
      const late = nextPeriodEnd(0, end)
      for (const moment of [late, late, late + RENEWAL_PAUSE_MILLIS - 1]) yield* run(endPeriod(id, moment))
      assert.strictEqual((yield* renewals).length, 1)
      yield* run(endPeriod(id, late + RENEWAL_PAUSE_MILLIS))
      assert.strictEqual((yield* renewals).length, 2)
    }).pipe(Effect.provide(coreLayer())))
})

describe("the end of a grace", () => {
  it.effect("deletes the machine, at its very moment", () =>
    Effect.gen(function*() {
      const { id } = yield* expired()
      yield* execute("UPDATE accounts SET wallet = 0")
      yield* run(deleteDue(id, GRACE_END - 1))
      assert.deepStrictEqual(yield* came, [])
      yield* run(deleteDue(id, GRACE_END))
      assert.deepInclude((yield* allTasks).at(-1), {
        type: "terminate",
        status: "queued",
        actor: "system",
        runAt: GRACE_END
      })
    }).pipe(Effect.provide(coreLayer())))

  it.effect("takes a failed instance, which has no machine, off the list, and leaves an active one alone", () =>
    Effect.gen(function*() {
      const { id } = yield* resting(`lifecycle = 'failed', grace_until = ${GRACE_END}`)
      const lifecycle = Effect.map(rows(`SELECT lifecycle FROM instances WHERE id = ${id}`), ([row]) => row)
      yield* run(deleteDue(id, GRACE_END - 1))
      assert.deepStrictEqual(yield* lifecycle, ["failed"])
      yield* run(deleteDue(id, GRACE_END))
      assert.deepStrictEqual(yield* lifecycle, ["deleted"])
      yield* execute(`UPDATE instances SET lifecycle = 'active' WHERE id = ${id}`)
      yield* run(deleteDue(id, GRACE_END))
      assert.deepStrictEqual([yield* lifecycle, yield* came], [["active"], []])
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is nothing to what is busy, was renewed meanwhile, or does not exist", () =>
    Effect.gen(function*() {
      const { id } = yield* expired()
      yield* busy
      yield* run(deleteDue(id, GRACE_END))
      yield* execute(
        "UPDATE tasks SET status = 'succeeded', finished_at = 0; UPDATE instances SET lifecycle = 'active'"
      )
      yield* run(deleteDue(id, GRACE_END))
      yield* run(deleteDue(99, GRACE_END))
      assert.deepStrictEqual(yield* came, [])
    }).pipe(Effect.provide(coreLayer())))
})

describe("a termination that has begun", () => {
  const TERMINATING = `lifecycle = 'expired', resume_power = 'on', terminate_at = ${GRACE_END}`
  const FINAL = "Its deletion has begun and cannot be undone. Order a new instance."

  it.effect("is attempted again at its own time, and is not in grace", () =>
    Effect.gen(function*() {
      const { id } = yield* resting(TERMINATING)
      const { deletions } = (yield* Instances).subscriptions
      assert.deepStrictEqual([(yield* (yield* DueTimes).next).deletion, yield* deletions.ids(GRACE_END, 9)], [
        GRACE_END,
        [
          id
        ]
      ])
      yield* run(deleteDue(id, GRACE_END - 1))
      assert.deepStrictEqual(yield* came, [])
      yield* run(deleteDue(id, GRACE_END))
      assert.deepStrictEqual(yield* came, [["terminate", "queued"]])
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is final for top-ups, renewals, auto-renewal and undo-expiry, each of which says what to do", () =>
    Effect.gen(function*() {
      const { end, id } = yield* resting(TERMINATING)
      assert.deepStrictEqual(yield* run(reviveAll(1, 1)), {
        renewed: [],
        notRenewed: [{ instanceId: id, reason: FINAL }]
      })
      assert.isFalse(yield* run(reviveOne(id, 1)))
      yield* run(endPeriod(id, end))
      const author = { actor: "admin", apiKeyId: null, requestId: null } as const
      const on = yield* Effect.flip(run(setAutoRenew(id, true, author, 1)))
      assert.include(String(on), "has begun and cannot be undone. Order a new instance.")
      assert.isFalse((yield* run(setAutoRenew(id, false, author, 1))).renewed)
      const subscription = (yield* (yield* Instances).subscriptions.find(id))!
      const undo = yield* Effect.flip(run(takeBackExpiry(subscription, 1)))
      assert.include(undo.message, "has begun and cannot be undone. Refund what was paid for the rest")
      assert.deepStrictEqual(yield* renewals, [])
      assert.strictEqual((yield* show(id)).status, "expired")
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is named by the refusal of an operation", () =>
    Effect.gen(function*() {
      const { id } = yield* resting(TERMINATING)
      assert.deepInclude(yield* Effect.flip(operate(owner, id, "start")), { terminating: true, renewableUntil: null })
    }).pipe(Effect.provide(coreLayer())))
})

describe("an expired instance that is paid for", () => {
  it.effect.each([
    ["", "start"],
    [OFF, undefined],
    [", suspended_reason = 'abuse'", undefined]
  ])("with %j: the machine gets %s", ([more, type]) =>
    Effect.gen(function*() {
      const { id } = yield* expired(more)
      assert.isTrue(yield* run(reviveOne(id, GRACE_END - 1)))
      const queued = (yield* allTasks).filter(({ status }) => status === "queued")
      const expected = type === undefined ? [] : [[type, "system"]]
      assert.deepStrictEqual(queued.map((task) => [task.type, task.actor]), expected)
      assert.strictEqual(yield* wallet, 100_000 - 2 * 499)
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is not brought back when its grace is over, it is busy, or the wallet does not hold the price", () =>
    Effect.gen(function*() {
      const { id } = yield* expired()
      assert.isFalse(yield* run(reviveOne(id, GRACE_END)))
      yield* busy
      assert.isFalse(yield* run(reviveOne(id, 1)))
      assert.deepStrictEqual((yield* run(reviveAll(1, 1))).renewed, [])
      yield* emptyWallet(498)
      yield* execute("UPDATE tasks SET status = 'succeeded', finished_at = 0")
      assert.isFalse(yield* run(reviveOne(id, 1)))
      assert.deepStrictEqual((yield* run(reviveAll(1, 1))).renewed, [])
      assert.deepStrictEqual(yield* renewals, [])
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is not brought back when it does not renew by itself, has not expired, or does not exist", () =>
    Effect.gen(function*() {
      const { id } = yield* expired(", auto_renew = 0")
      assert.isFalse(yield* run(reviveOne(id, 1)))
      yield* execute("UPDATE instances SET auto_renew = 1, lifecycle = 'active'")
      assert.isFalse(yield* run(reviveOne(id, 1)))
      assert.isFalse(yield* run(reviveOne(99, 1)))
      assert.deepStrictEqual(yield* renewals, [])
    }).pipe(Effect.provide(coreLayer())))

  it.effect("comes back before those that expired after it, as far as the money goes", () =>
    Effect.gen(function*() {
      const ids = [(yield* expired()).id, (yield* expired()).id, (yield* expired()).id]
      yield* execute(`UPDATE instances SET expires_at = expires_at - 1 WHERE id = ${ids[2]}`)
      yield* emptyWallet(2 * 499)
      yield* execute("UPDATE tasks SET status = 'succeeded', finished_at = 0")
      assert.deepStrictEqual((yield* run(reviveAll(1, 1))).renewed, [ids[2], ids[0]])
      const statuses = yield* Effect.forEach(ids, (id) => Effect.map(show(id), ({ status }) => status))
      assert.strictEqual(statuses[1], "expired")
      assert.strictEqual(yield* wallet, 0)
    }).pipe(Effect.provide(coreLayer())))
})
