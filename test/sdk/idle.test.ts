/** Waits for the end of an instance's tasks, and for the reboots of rescue mode. */
import { INSTANCE_STATUSES, type InstanceStatusValue } from "#contract/Instance"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { isBusyStatus, isDocumentedStatus, isSettled } from "#sdk/client/host/Statuses"
import type { IdleProgress } from "#sdk/client/options/Options"
import { failureOf, script, settle, type Step } from "./support/scripted.ts"

const live = (status: string, task: string | null = null, boot_mode = "disk"): Step => ({
  status: 200,
  body: {
    instance_id: 7,
    status,
    boot_mode,
    booted: status === "rescue" ? "rescue" : "disk",
    task: task === null ? null : { id: 3, type: task, status: "running" }
  }
})
const idle = live("running")
const busy: Step = { status: 409, headers: { "retry-after": "1" }, body: { detail: "busy" } }
const rescue = (restarted: boolean): Step => ({ status: 200, body: { ok: true, boot_mode: "rescue", restarted } })
const done: Step = { status: 200, body: { ok: true, task_id: 4 } }

const lines = (server: ReturnType<typeof script>) =>
  server.sent.map(({ request }) => `${request.operation.method} ${request.path}`)
const STATUS = "GET /instances/7/status"

/** All other statuses are of work. */
const IDLE: ReadonlyArray<InstanceStatusValue> = [
  "running",
  "stopped",
  "rescue",
  "suspended",
  "expired",
  "failed",
  "deleted"
]

describe("waitUntilIdle", () => {
  it.effect("polls immediately, and ends when no task is open and the status has settled", () =>
    Effect.gen(function*() {
      const server = script([live("restarting", "restart"), live("running", "snapshot_create"), live("running")])
      const { data } = yield* Effect.flatten(settle(server.client.instances.waitUntilIdle(7)))
      assert.deepInclude(data, { status: "running", task: null })
      assert.deepStrictEqual(server.sent.map(({ at }) => at), [0, 1000, 2500])
      assert.deepStrictEqual(lines(server), [STATUS, STATUS, STATUS])
    }))

  it.effect.each(IDLE)(
    "treats %s without a task as idle",
    (status) =>
      Effect.gen(function*() {
        const server = script([live(status)])
        const { data } = yield* Effect.flatten(settle(server.client.instances.waitUntilIdle(7)))
        assert.deepStrictEqual([data.status, server.sent.length], [status, 1])
      })
  )

  it.each(INSTANCE_STATUSES)("knows %s, and if it ends by itself", (status) => {
    assert.isTrue(isDocumentedStatus(status))
    assert.strictEqual(isSettled(status), IDLE.includes(status))
    assert.strictEqual(isBusyStatus(status), !IDLE.includes(status))
  })

  it.effect.each([...INSTANCE_STATUSES.filter((status) => !IDLE.includes(status)), "a status of a later version"])(
    "treats %s as busy even without a task",
    (status) =>
      Effect.gen(function*() {
        const server = script([live(status), idle])
        yield* Effect.flatten(settle(server.client.instances.waitUntilIdle(7)))
        assert.strictEqual(server.sent.length, 2)
      })
  )

  it.effect("uses the status if the server returns no task", () =>
    Effect.gen(function*() {
      const server = script([{ status: 200, body: { status: "running" } }])
      yield* Effect.flatten(settle(server.client.instances.waitUntilIdle(7)))
      assert.strictEqual(server.sent.length, 1)
    }))

  it.effect("reports the open task", () =>
    Effect.gen(function*() {
      const seen: Array<readonly [number, string, string | undefined, number, number]> = []
      const onProgress = ({ elapsed, id, polls, status, task }: IdleProgress) =>
        seen.push([id, status, task?.type, polls, elapsed])
      const server = script([live("resizing", "resize"), idle])
      yield* Effect.flatten(settle(server.client.instances.waitUntilIdle(7, { onProgress })))
      assert.deepStrictEqual(seen, [[7, "resizing", "resize", 1, 0], [7, "running", undefined, 2, 1000]])
    }))

  it.effect("times out with a message that names its goal", () =>
    Effect.gen(function*() {
      const server = script([live("resizing", "resize")])
      const error = yield* failureOf(server.client.instances.waitUntilIdle(7, { waitTimeout: 20_000 }))
      assert.deepStrictEqual([error._tag, error.instanceId], ["WaitTimeoutError", 7])
      assert.strictEqual(
        error.message,
        "Instance 7 was not idle within 20000 ms (status resizing). To keep waiting, call waitUntilIdle(7)."
      )
    }))
})

describe("waitUntil", () => {
  it.effect("ends with the first record that meets the condition", () =>
    Effect.gen(function*() {
      const record = (status: string): Step => ({ status: 200, body: { id: 7, status } })
      const server = script([record("stopping"), record("stopped")])
      const { data } = yield* Effect.flatten(
        settle(server.client.instances.waitUntil(7, ({ status }) => status === "stopped"))
      )
      assert.deepStrictEqual([data.status, server.sent.length], ["stopped", 2])
    }))

  it.effect("fails with the exception of the condition as the cause", () =>
    Effect.gen(function*() {
      const mistake = new Error("a bug of the caller's")
      const until = () => {
        throw mistake
      }
      const error = yield* failureOf(script([{ status: 200, body: { id: 7 } }]).client.instances.waitUntil(7, until))
      assert.deepStrictEqual([error._tag, error.cause, error.instanceId], ["CallbackError", mistake, 7])
    }))
})

describe("rescue.enterAndWait", () => {
  const ENTER = "POST /instances/7/rescue"
  const REBOOT = "POST /instances/7/restart"

  it.effect("waits until the instance is idle in rescue mode", () =>
    Effect.gen(function*() {
      const server = script([
        rescue(true),
        live("restarting", "rescue_enter", "rescue"),
        live("rescue", null, "rescue")
      ])
      const { data } = yield* Effect.flatten(settle(server.client.rescue.enterAndWait(7)))
      assert.deepInclude(data, { status: "rescue", boot_mode: "rescue" })
      assert.deepStrictEqual(lines(server), [ENTER, STATUS, STATUS])
    }))

  it.effect("requests the reboot itself if the server was too busy, once the other task has ended", () =>
    Effect.gen(function*() {
      const server = script([
        rescue(false),
        live("running", "snapshot_create", "rescue"),
        live("running", null, "rescue"),
        done,
        live("restarting", "restart", "rescue"),
        live("rescue", null, "rescue")
      ])
      const { data } = yield* Effect.flatten(settle(server.client.rescue.enterAndWait(7)))
      assert.strictEqual(data.status, "rescue")
      assert.deepStrictEqual(lines(server), [ENTER, STATUS, STATUS, REBOOT, STATUS, STATUS])
    }))

  it.effect("requests the reboot again if another task comes first", () =>
    Effect.gen(function*() {
      const ready = live("rescue", null, "rescue")
      const server = script([rescue(false), ready, busy, live("rescue", "set_rdns", "rescue"), ready, done, ready])
      yield* Effect.flatten(settle(server.client.rescue.enterAndWait(7, { maxRetries: 0 })))
      assert.deepStrictEqual(lines(server), [ENTER, STATUS, REBOOT, STATUS, STATUS, REBOOT, STATUS])
    }))

  it.effect("does not end while idle in the other mode", () =>
    Effect.gen(function*() {
      const server = script([rescue(true), live("running"), live("rescue", null, "rescue")])
      yield* Effect.flatten(settle(server.client.rescue.enterAndWait(7)))
      assert.strictEqual(server.sent.length, 3)
    }))

  it.effect("does not end while the mode is set but not booted", () =>
    Effect.gen(function*() {
      const server = script([rescue(true), live("running", null, "rescue"), live("rescue", null, "rescue")])
      const { data } = yield* Effect.flatten(settle(server.client.rescue.enterAndWait(7)))
      assert.strictEqual(data.booted, "rescue")
      assert.strictEqual(server.sent.length, 3)
    }))

  it.effect("applies waitTimeout to the whole, including the reboot", () =>
    Effect.gen(function*() {
      const server = script([rescue(false), live("running", "resize", "rescue")])
      const error = yield* failureOf(server.client.rescue.enterAndWait(7, { waitTimeout: 5000 }))
      assert.deepStrictEqual([error._tag, error.instanceId], ["WaitTimeoutError", 7])
      assert.notInclude(lines(server), REBOOT)
    }))

  it.effect("fails if the reboot is rejected permanently", () =>
    Effect.gen(function*() {
      const server = script([rescue(false), idle, { status: 409, body: { detail: "suspended" } }])
      const error = yield* failureOf(server.client.rescue.enterAndWait(7))
      assert.deepStrictEqual([error._tag, error.instanceId, error.path], ["ConflictError", 7, "/instances/7/restart"])
    }))

  it.effect("reports after an abort during the reboot that it may have been processed", () =>
    Effect.gen(function*() {
      const server = script([rescue(false), idle, "silent"])
      const controller = new AbortController()
      const call = server.client.rescue.enterAndWait(7, { signal: controller.signal })
      const fiber = yield* Effect.forkChild(Effect.flip(call))
      yield* TestClock.adjust("3 seconds")
      controller.abort()
      const error = yield* Fiber.join(fiber)
      assert(error._tag === "AbortError")
      assert.deepStrictEqual([error.responseLost, error.path, error.instanceId], [true, "/instances/7/restart", 7])
    }))

  it.effect("checks waitTimeout before it sends anything", () =>
    Effect.gen(function*() {
      const server = script([rescue(true)])
      const error = yield* failureOf(server.client.rescue.enterAndWait(7, { waitTimeout: 0 }))
      assert.deepStrictEqual([error._tag, server.sent.length], ["ArgumentError", 0])
    }))

  it.effect("has a counterpart: exitAndWait", () =>
    Effect.gen(function*() {
      const server = script([rescue(true), live("rescue", null, "rescue"), live("running")])
      const { data } = yield* Effect.flatten(settle(server.client.rescue.exitAndWait(7)))
      assert.strictEqual(data.boot_mode, "disk")
      assert.deepStrictEqual(lines(server), ["DELETE /instances/7/rescue", STATUS, STATUS])
    }))
})
