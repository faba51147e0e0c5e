/** Synchronous and queued calls when the upstream rejects, is busy, or does not respond. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Task } from "#contract/Monitoring"
import { deployed, startApp, type TestApp } from "../support/app.ts"

const AT = "/instances/1"
const DAY = 86_400_000

const advance = (app: TestApp, millis: number) => app.control("POST", "/clock", { advance_ms: millis })
const fault = (app: TestApp, type: string, driver: string) =>
  app.control("POST", "/faults", { operation: `driver.${type}`, driver })

/** Instance 1, deployed, with a frozen clock. */
const running = Effect.gen(function*() {
  const app = yield* startApp()
  yield* app.control("POST", "/clock", { freeze: true })
  yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1, hostname: "web" } })
  yield* deployed(app, 1)
  return app
})

type Call = readonly [method: string, path: string, type: string, body?: object]

const send = (app: TestApp, [method, path, , body]: Call) => app.api({ method, path: `${AT}/${path}`, body })

/** Calls whose answer holds what the upstream did. */
const WAITING: ReadonlyArray<Call> = [
  ["POST", "reset-password", "reset_password"],
  ["PATCH", "hostname", "set_hostname", { hostname: "db" }],
  ["POST", "rdns", "set_rdns", { ip: "198.18.0.1", ptr: "db.example.test" }],
  ["POST", "rescue", "rescue_enter"],
  ["DELETE", "rescue", "rescue_exit"]
]

describe("a call that waits for the upstream", () => {
  const rows = WAITING.flatMap((call) =>
    ["unavailable", "busy", "rejected"].map((driver) => [call[0], call[1], driver, call] as const)
  )
  it.live.each(rows)(
    "%s %s tries once: 502 without changes, and a retry succeeds",
    ([, , driver, call]) =>
      Effect.gen(function*() {
        const app = yield* running
        if (call[2] === "rescue_exit") yield* app.api({ method: "POST", path: `${AT}/rescue` })
        const { body: before } = yield* app.api({ path: AT })
        yield* fault(app, call[2], driver)
        const failed = yield* send(app, call)
        assert.strictEqual(failed.status, 502)
        assert.include(failed.body.detail, call[2])
        assert.strictEqual((yield* app.control("GET", "/faults")).body[0].hits, 1)
        assert.deepStrictEqual((yield* app.api({ path: AT })).body, before)
        assert.isNull((yield* app.api({ path: `${AT}/status` })).body.task)
        yield* app.control("DELETE", "/faults")
        assert.strictEqual((yield* send(app, call)).status, 200)
      })
  )
})

/** Operations that are done in a task of their own; some of them to what is prepared below. */
const QUEUED: ReadonlyArray<Call> = [
  ["POST", "stop", "stop"],
  ["POST", "restart", "restart"],
  ["POST", "reinstall", "reinstall", { os: "debian-13" }],
  ["POST", "resize", "resize", { service_id: 3 }],
  ["POST", "snapshots", "snapshot_create", { name: "two" }],
  ["POST", "snapshots/1/restore", "snapshot_restore"],
  ["DELETE", "snapshots/1", "snapshot_delete"],
  ["POST", "backups/1/restore", "backup_restore"],
  ["POST", "iso", "iso_mount", { iso_id: 2 }],
  ["DELETE", "iso", "iso_unmount"]
]

const balance = (app: TestApp) => Effect.map(app.control("GET", "/wallet"), ({ body }) => body.balance as number)

describe("any other operation", () => {
  it.live.each(QUEUED)(
    "%s %s returns at once, regardless of the upstream, and fails in its task",
    (call) =>
      Effect.gen(function*() {
        const app = yield* running
        yield* app.api({ method: "POST", path: `${AT}/snapshots`, body: { name: "one" } })
        yield* advance(app, DAY)
        yield* app.api({ method: "POST", path: `${AT}/iso`, body: { iso_id: 1 } })
        yield* advance(app, 1_000)
        const [before, wallet] = [(yield* app.api({ path: AT })).body, yield* balance(app)]
        yield* app.control("PUT", "/deploy", { mode: "after_ms", value: 1_000 })
        yield* fault(app, call[2], "rejected")
        const answer = yield* send(app, call)
        assert.strictEqual(answer.status, 200)
        assert.deepInclude(answer.body, { ok: true, action: call[2] })
        yield* advance(app, 1_000)
        const { body } = yield* app.api({ path: `${AT}/tasks` })
        const task = (body.items as ReadonlyArray<Task>).find(({ id }) => id === answer.body.task_id)!
        assert.deepInclude(task, { type: call[2], status: "failed", actor: "api_key" })
        assert.isNotEmpty(task.error)
        assert.deepStrictEqual((yield* app.api({ path: AT })).body, before)
        assert.strictEqual(yield* balance(app), wallet, "what was charged came back")
      })
  )
})
