/** Waiting for the end of an instance's tasks, and for the reboots of rescue mode. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { IdleProgress } from "#sdk/client/options/Options"
import { failureOf, script, settle, type Step } from "./support/scripted.ts"

const live = (status: string, task: string | null = null, boot_mode = "disk"): Step => ({
  status: 200,
  body: { instance_id: 7, status, boot_mode, task: task === null ? null : { id: 3, type: task, status: "running" } }
})
const idle = live("running")
const busy: Step = { status: 409, headers: { "retry-after": "1" }, body: { detail: "busy" } }
const rescue = (restarted: boolean): Step => ({ status: 200, body: { ok: true, boot_mode: "rescue", restarted } })
const done: Step = { status: 200, body: { ok: true, task_id: 4 } }

const lines = (host: ReturnType<typeof script>) =>
  host.sent.map(({ request }) => `${request.operation.method} ${request.path}`)
const STATUS = "GET /instances/7/status"

describe("waitUntilIdle", () => {
  it.effect("looks at once, and ends when no task is open and the status has settled", () =>
    Effect.gen(function*() {
      const host = script([live("restarting", "restart"), live("running", "snapshot_create"), live("running")])
      const { data } = yield* Effect.flatten(settle(host.core.instances.waitUntilIdle(7)))
      assert.deepInclude(data, { status: "running", task: null })
      assert.deepStrictEqual(host.sent.map(({ at }) => at), [0, 1000, 2500])
      assert.deepStrictEqual(lines(host), [STATUS, STATUS, STATUS])
    }))

  it.effect.each(["running", "stopped", "rescue", "suspended", "expired", "failed", "deleted"])(
    "takes %s without a task for idle",
    (status) =>
      Effect.gen(function*() {
        const host = script([live(status)])
        const { data } = yield* Effect.flatten(settle(host.core.instances.waitUntilIdle(7)))
        assert.deepStrictEqual([data.status, host.sent.length], [status, 1])
      })
  )

  it.effect.each(["pending", "provisioning", "starting", "resizing", "restoring", "brewing"])(
    "takes %s for busy, also without a task",
    (status) =>
      Effect.gen(function*() {
        const host = script([live(status), idle])
        yield* Effect.flatten(settle(host.core.instances.waitUntilIdle(7)))
        assert.strictEqual(host.sent.length, 2)
      })
  )

  it.effect("takes a host that tells no tasks at its status", () =>
    Effect.gen(function*() {
      const host = script([{ status: 200, body: { status: "running" } }])
      yield* Effect.flatten(settle(host.core.instances.waitUntilIdle(7)))
      assert.strictEqual(host.sent.length, 1)
    }))

  it.effect("tells the open task", () =>
    Effect.gen(function*() {
      const seen: Array<readonly [number, string, string | undefined, number, number]> = []
      const onProgress = ({ elapsed, id, polls, status, task }: IdleProgress) =>
        seen.push([id, status, task?.type, polls, elapsed])
      const host = script([live("resizing", "resize"), idle])
      yield* Effect.flatten(settle(host.core.instances.waitUntilIdle(7, { onProgress })))
      assert.deepStrictEqual(seen, [[7, "resizing", "resize", 1, 0], [7, "running", undefined, 2, 1000]])
    }))

  it.effect("is bounded, and says what it waited for", () =>
    Effect.gen(function*() {
      const host = script([live("resizing", "resize")])
      const error = yield* failureOf(host.core.instances.waitUntilIdle(7, { waitTimeout: 20_000 }))
      assert.deepStrictEqual([error._tag, error.instanceId], ["WaitTimeoutError", 7])
      assert.strictEqual(
        error.message,
        "Instance 7 was not idle within 20000 ms (status resizing). To keep waiting, call waitUntilIdle(7)."
      )
    }))

  it.effect("ends when the signal fires", () =>
    Effect.gen(function*() {
      const host = script([live("resizing", "resize")])
      const controller = new AbortController()
      const call = host.core.instances.waitUntilIdle(7, { signal: controller.signal })
      const fiber = yield* Effect.forkChild(Effect.flip(call))
      yield* TestClock.adjust("3 seconds")
      controller.abort()
      const error = yield* Fiber.join(fiber)
      assert.deepStrictEqual([error._tag, error.instanceId], ["AbortError", 7])
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(host.sent.length, 3, "nothing is asked for after the wait")
    }))
})

describe("waitUntil", () => {
  it.effect("ends with the first record that the condition accepts", () =>
    Effect.gen(function*() {
      const record = (status: string): Step => ({ status: 200, body: { id: 7, status } })
      const host = script([record("stopping"), record("stopped")])
      const { data } = yield* Effect.flatten(
        settle(host.core.instances.waitUntil(7, ({ status }) => status === "stopped"))
      )
      assert.deepStrictEqual([data.status, host.sent.length], ["stopped", 2])
    }))

  it.effect("ends with what the condition threw as the cause", () =>
    Effect.gen(function*() {
      const mistake = new Error("a bug of the caller's")
      const until = () => {
        throw mistake
      }
      const error = yield* failureOf(script([{ status: 200, body: { id: 7 } }]).core.instances.waitUntil(7, until))
      assert.deepStrictEqual([error._tag, error.cause, error.instanceId], ["CallbackError", mistake, 7])
    }))
})

describe("rescue.enterAndWait", () => {
  const ENTER = "POST /instances/7/rescue"
  const REBOOT = "POST /instances/7/restart"

  it.effect("waits until the instance is idle in rescue mode", () =>
    Effect.gen(function*() {
      const host = script([
        rescue(true),
        live("restarting", "rescue_enter", "rescue"),
        live("rescue", null, "rescue")
      ])
      const { data } = yield* Effect.flatten(settle(host.core.rescue.enterAndWait(7)))
      assert.deepInclude(data, { status: "rescue", boot_mode: "rescue" })
      assert.deepStrictEqual(lines(host), [ENTER, STATUS, STATUS])
    }))

  it.effect("reboots itself when the host was too busy, once the other task has ended", () =>
    Effect.gen(function*() {
      const host = script([
        rescue(false),
        live("running", "snapshot_create", "rescue"),
        live("running", null, "rescue"),
        done,
        live("restarting", "restart", "rescue"),
        live("rescue", null, "rescue")
      ])
      const { data } = yield* Effect.flatten(settle(host.core.rescue.enterAndWait(7)))
      assert.strictEqual(data.status, "rescue")
      assert.deepStrictEqual(lines(host), [ENTER, STATUS, STATUS, REBOOT, STATUS, STATUS])
    }))

  it.effect("asks for the reboot again when another task comes first", () =>
    Effect.gen(function*() {
      const ready = live("rescue", null, "rescue")
      const host = script([rescue(false), ready, busy, live("rescue", "set_rdns", "rescue"), ready, done, ready])
      yield* Effect.flatten(settle(host.core.rescue.enterAndWait(7, { maxRetries: 0 })))
      assert.deepStrictEqual(lines(host), [ENTER, STATUS, REBOOT, STATUS, STATUS, REBOOT, STATUS])
    }))

  it.effect("does not take idle in the other mode for an end", () =>
    Effect.gen(function*() {
      const host = script([rescue(true), live("running"), live("rescue", null, "rescue")])
      yield* Effect.flatten(settle(host.core.rescue.enterAndWait(7)))
      assert.strictEqual(host.sent.length, 3)
    }))

  it.effect("bounds the whole, reboot included", () =>
    Effect.gen(function*() {
      const host = script([rescue(false), live("running", "resize", "rescue")])
      const error = yield* failureOf(host.core.rescue.enterAndWait(7, { waitTimeout: 5000 }))
      assert.deepStrictEqual([error._tag, error.instanceId], ["WaitTimeoutError", 7])
      assert.notInclude(lines(host), REBOOT)
    }))

  it.effect("fails as the reboot does when that is refused for good", () =>
    Effect.gen(function*() {
      const host = script([rescue(false), idle, { status: 409, body: { detail: "suspended" } }])
      const error = yield* failureOf(host.core.rescue.enterAndWait(7))
      assert.deepStrictEqual([error._tag, error.instanceId, error.path], ["ConflictError", 7, "/instances/7/restart"])
    }))

  it.effect("says of an abort during the reboot that it may have been carried out", () =>
    Effect.gen(function*() {
      const host = script([rescue(false), idle, "silent"])
      const controller = new AbortController()
      const call = host.core.rescue.enterAndWait(7, { signal: controller.signal })
      const fiber = yield* Effect.forkChild(Effect.flip(call))
      yield* TestClock.adjust("3 seconds")
      controller.abort()
      const error = yield* Fiber.join(fiber)
      assert(error._tag === "AbortError")
      assert.deepStrictEqual([error.responseLost, error.path, error.instanceId], [true, "/instances/7/restart", 7])
    }))

  it.effect("looks at waitTimeout before it enters", () =>
    Effect.gen(function*() {
      const host = script([rescue(true)])
      const error = yield* failureOf(host.core.rescue.enterAndWait(7, { waitTimeout: 0 }))
      assert.deepStrictEqual([error._tag, host.sent.length], ["ArgumentError", 0])
    }))

  it.effect("has its way back: exitAndWait", () =>
    Effect.gen(function*() {
      const host = script([rescue(true), live("rescue", null, "rescue"), live("running")])
      const { data } = yield* Effect.flatten(settle(host.core.rescue.exitAndWait(7)))
      assert.strictEqual(data.boot_mode, "disk")
      assert.deepStrictEqual(lines(host), ["DELETE /instances/7/rescue", STATUS, STATUS])
    }))
})
