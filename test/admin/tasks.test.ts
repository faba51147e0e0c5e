/** Suspension, and retrying tasks. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { listInstances, suspend, unsuspend } from "#service/admin/commands/Instances"
import { approveTask, rejectTask, retryTask } from "#service/admin/commands/Tasks"
import { verify } from "#service/ledger/Ledger"
import { operate } from "#service/operations/Power"
import { placeOrder } from "#service/orders/PlaceOrder"
import { Instances } from "#service/persistence/Instances"
import type { TaskOutcome } from "#service/persistence/tasks/Task"
import type { TaskType } from "#service/domain/TaskType"
import { Tasks } from "#service/persistence/Tasks"
import { Transaction } from "#service/persistence/Transaction"
import { execute, rows } from "../support/database.ts"
import { wallet } from "../support/billing.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { Mailbox } from "../support/mailbox.ts"
import { allTasks, buy, coreLayer, deployTime, elapse, owner, serviceLayer, show } from "../support/service.ts"

const REASON = "sends spam"

const refusal = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const running = Effect.gen(function*() {
  const { id } = yield* buy()
  yield* deployTime
  return id
})

describe("suspension", () => {
  it.effect("keeps the power to come back to: a stopped instance stays off", () =>
    Effect.gen(function*() {
      const id = yield* running
      yield* operate(owner, id, "stop")
      yield* elapse(2_000)
      assert.strictEqual((yield* suspend({ id, reason: REASON })).lifecycle, "suspended")
      yield* elapse(2_000)
      assert.deepInclude(yield* unsuspend({ id }), { lifecycle: "active", task_id: null })
      yield* elapse(2_000)
      assert.strictEqual((yield* show(id)).status, "stopped")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("powers off at once, and lifts to running", () =>
    Effect.gen(function*() {
      const id = yield* running
      yield* suspend({ id, reason: REASON })
      assert.include(yield* refusal(suspend({ id, reason: REASON })), "busy with another task (suspend)")
      yield* elapse(2_000)
      assert.strictEqual((yield* (yield* Instances).find(id))!.power, "off")
      assert.include(yield* refusal(suspend({ id, reason: REASON })), "is suspended")
      yield* unsuspend({ id })
      yield* elapse(2_000)
      assert.strictEqual((yield* show(id)).status, "running")
      assert.include(yield* refusal(unsuspend({ id })), "is not suspended")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("one that expired meanwhile stays expired, and has its power back with its renewal", () =>
    Effect.gen(function*() {
      const id = yield* running
      yield* suspend({ id, reason: REASON })
      yield* elapse(2_000)
      const { subscriptions } = yield* Instances
      yield* (yield* Transaction).run(subscriptions.expire(id, Number.MAX_SAFE_INTEGER))
      assert.deepInclude(yield* unsuspend({ id }), { lifecycle: "expired", task_id: null })
      assert.deepInclude((yield* subscriptions.find(id))!, {
        lifecycle: "expired",
        suspended: false,
        resumePower: "on"
      })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("shows the customer its reason, also in a refusal, and operators its note, until it is lifted", () =>
    Effect.gen(function*() {
      const id = yield* running
      yield* suspend({ id, reason: "Abuse report 4711", note: "reported by a competitor" })
      yield* elapse(2_000)
      const seen = yield* show(id)
      assert.strictEqual(seen.suspended_reason, "Abuse report 4711")
      const refused = yield* Effect.flip(operate(owner, id, "start"))
      assert.deepInclude(refused, { _tag: "InvalidState", reason: "Abuse report 4711" })
      assert.notInclude(JSON.stringify([seen, refused]), "competitor")
      const [listed] = yield* listInstances({ limit: 1 })
      assert.deepInclude(listed, {
        suspended_reason: "Abuse report 4711",
        suspended_note: "reported by a competitor"
      })
      yield* unsuspend({ id })
      const [lifted] = yield* listInstances({ limit: 1 })
      assert.deepInclude(lifted, { suspended_reason: null, suspended_note: null })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is for what runs or could: not for what is being made", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      assert.include(yield* refusal(suspend({ id, reason: REASON })), "busy with another task (provision)")
      assert.include(yield* refusal(suspend({ id: 99, reason: REASON })), "Instance 99 not found")
    }).pipe(Effect.provide(coreLayer())))
})

/** A task that has ended so, on a running instance. */
const ended = Effect.fnUntraced(
  function*(instanceId: number, type: TaskType, status: TaskOutcome["status"] = "failed") {
    const tasks = yield* Tasks
    return yield* (yield* Transaction).run(Effect.gen(function*() {
      const task = {
        instanceId,
        type,
        actor: "api_key",
        apiKeyId: 1,
        requestId: null,
        params: "{}",
        sealed: null
      } as const
      const id = yield* tasks.insert({ ...task, runAt: 0, at: 0, leaseUntil: 1 })
      yield* tasks.finish(id, 1, { status, error: "x", at: 0 })
      return id
    }))
  }
)

describe("tasks retry", () => {
  it.effect("repeats a failed power action as a task of the operator", () =>
    Effect.gen(function*() {
      const id = yield* running
      const failed = yield* ended(id, "restart")
      const again = yield* retryTask({ id: failed })
      assert.deepInclude(again, { type: "restart", actor: "admin", instance_id: id })
      assert.isAbove(again.id, failed)
      assert.include(yield* refusal(retryTask({ id: failed })), "busy with another task (restart)")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("makes a waiting task due now", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      const tasks = yield* Tasks
      const open = (yield* tasks.open(id))!
      yield* (yield* Transaction).run(tasks.runNow(open.id, 9_000_000))
      yield* retryTask({ id: open.id })
      assert.strictEqual((yield* tasks.find(open.id))!.runAt, 0)
    }).pipe(Effect.provide(coreLayer())))

  it.effect("refuses what charged, lost its secret, is over, or does not fit any more", () =>
    Effect.gen(function*() {
      const id = yield* running
      for (const type of ["provision", "reinstall", "resize", "reset_password", "snapshot_create"] as const) {
        assert.include(
          yield* refusal(retryTask({ id: yield* ended(id, type) })),
          "Request the operation again through the API"
        )
      }
      assert.include(yield* refusal(retryTask({ id: yield* ended(id, "stop", "succeeded") })), "is succeeded")
      assert.include(yield* refusal(retryTask({ id: yield* ended(id, "start") })), "in the wrong state for start")
      // An instance that was paid for in the meantime must not be deleted or powered off.
      for (const type of ["terminate", "expire", "suspend"] as const) {
        assert.include(
          yield* refusal(retryTask({ id: yield* ended(id, type) })),
          `is now active, so ${type} no longer applies`
        )
      }
      assert.include(yield* refusal(approveTask({ id: yield* ended(id, "stop") })), "needs no approval")
      assert.include(yield* refusal(retryTask({ id: 999 })), "Task 999 not found")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("an order that waits for approval", () => {
  const held = Effect.fnUntraced(function*(key = "held", coupon = "WELCOME10") {
    yield* execute("UPDATE plans SET auto_deploy = 0 WHERE id = 1")
    const caller = owner
    const body = { service_id: 1, coupon_code: coupon }
    const { instance } = yield* (yield* Transaction).run(placeOrder({ caller, body, key }))
    const [task] = (yield* allTasks).slice(-1)
    return { body, id: instance.id, task: task!.id }
  })

  it.effect("is rejected: refunded, its coupon free again, its key expiring, and the customer informed", () =>
    Effect.gen(function*() {
      const { body, id, task } = yield* held()
      const before = yield* wallet
      assert.deepStrictEqual(yield* rejectTask({ id: task, reason: "address unknown" }), {
        task_id: task,
        instance_id: id,
        refunded: 4.49,
        currency: "EUR",
        reason: "address unknown"
      })
      assert.strictEqual((yield* wallet) - before, 449)
      assert.deepInclude((yield* (yield* Tasks).find(task))!, {
        status: "cancelled",
        error: "The order was rejected: address unknown"
      })
      const shown = yield* show(id)
      assert.deepStrictEqual([shown.status, shown.order.status], ["failed", "refunded"])
      yield* elapse(1_000)
      const { confirmations: [confirmation], received: [mail, ...others] } = yield* Mailbox
      assert.deepStrictEqual(others, [], "it is no failed deployment")
      assert.include(
        Redacted.value(confirmation!.text),
        "Your host approves the order before the instance is deployed."
      )
      assert.deepInclude(mail, { to: "owner@example.test", subject: "Your order of VPS S was rejected: instance 1" })
      assert.include(Redacted.value(mail!.text), ": address unknown\n\n4.49 EUR are back in your wallet.")
      const { FAILED_KEY_RETENTION_MILLIS } = DEFAULT_LIMITS
      assert.deepStrictEqual((yield* rows("SELECT forget_at FROM idempotency_keys"))[0], [FAILED_KEY_RETENTION_MILLIS])
      const again = yield* (yield* Transaction).run(placeOrder({ caller: owner, body, key: "again" }))
      assert.include(again.instance.order.config!, "WELCOME10")
      assert.isTrue((yield* verify).balanced)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("cannot be rejected twice, or once it is approved, and its mail waits for the mail server", () =>
    Effect.gen(function*() {
      const { task } = yield* held()
      const box = yield* Mailbox
      box.refusals = 3
      yield* rejectTask({ id: task, reason: "no" })
      yield* elapse(60_000, 1_000)
      assert.include(box.received.map(({ subject }) => subject), "Your order of VPS S was rejected: instance 1")
      assert.include(yield* refusal(rejectTask({ id: task, reason: "no" })), "does not wait for approval")
      assert.include(yield* refusal(approveTask({ id: task })), "needs no approval")
      const other = yield* held("other")
      yield* approveTask({ id: other.task })
      assert.include(yield* refusal(rejectTask({ id: other.task, reason: "no" })), "does not wait for approval")
    }).pipe(Effect.provide(serviceLayer())))
})
