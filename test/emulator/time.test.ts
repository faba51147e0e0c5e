/** The emulator's clock also drives proration and leases. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Tasks } from "#service/persistence/Tasks"
import { Transaction } from "#service/persistence/Transaction"
import { WorkerNotifier } from "#service/runtime/WorkerNotifier"
import { deployed, startApp, type TestApp } from "../support/app.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const { LEASE_MILLIS } = DEFAULT_LIMITS

const advance = (app: TestApp, millis: number) => app.control("POST", "/clock", { advance_ms: millis })

const bought = Effect.gen(function*() {
  const app = yield* startApp()
  yield* app.control("POST", "/clock", { freeze: true })
  const { body } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
  yield* deployed(app, 1)
  return { app, period: Date.parse(body.expires_at) - Date.parse(body.created_at) }
})

describe("the clock", () => {
  it.live("drives proration", () =>
    Effect.gen(function*() {
      const { app, period } = yield* bought
      const charge = Effect.map(app.api({ path: "/instances/1/available-plans" }), ({ body }) => body[0].charge_amount)
      assert.strictEqual(yield* charge, 5)
      yield* advance(app, period / 2)
      assert.strictEqual(yield* charge, 2.5)
      yield* advance(app, period / 4)
      assert.strictEqual(yield* charge, 1.25)
    }))

  it.live("drives leases", () =>
    Effect.gen(function*() {
      const { app } = yield* bought
      const status = Effect.map(app.api({ path: "/instances/1" }), ({ body }) => body.status as string)
      // The owner of the lease has died.
      yield* app.inside(Effect.gen(function*() {
        const at = yield* Clock.currentTimeMillis
        const stop = { instanceId: 1, type: "stop", params: "{}", sealed: null, actor: "system" } as const
        const held = { apiKeyId: null, requestId: null, runAt: at, leaseUntil: at + LEASE_MILLIS, at }
        yield* (yield* Transaction).run((yield* Tasks).insert({ ...stop, ...held }))
        yield* (yield* WorkerNotifier).notify
      }))
      yield* advance(app, LEASE_MILLIS - 1)
      assert.strictEqual(yield* status, "stopping")
      yield* advance(app, 1)
      assert.strictEqual(yield* status, "stopped")
    }))
})
