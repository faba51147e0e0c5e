/** The default duration of simulated operations, and where the setting is stored. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deployed, startApp, startEmulator, type TestApp } from "../support/app.ts"
import { temporaryFolder } from "../support/temporary.ts"

const advance = (app: TestApp, millis: number) => app.control("POST", "/clock", { advance_ms: millis })
const create = (app: TestApp) =>
  Effect.map(app.api({ method: "POST", path: "/instances", body: { service_id: 1 } }), ({ body }) => body)
const show = (app: TestApp) => Effect.map(app.api({ path: "/instances/1" }), ({ body }) => body)
const status = (app: TestApp) => Effect.map(show(app), (body) => body.status as string)
const freeze = (app: TestApp) => app.control("POST", "/clock", { freeze: true })
const stop = (app: TestApp) => app.api({ method: "POST", path: "/instances/1/stop" })

/** Starts with a frozen clock and the stored setting. */
const takesASecond = Effect.fnUntraced(function*(app: TestApp) {
  yield* freeze(app)
  yield* create(app)
  yield* advance(app, 999)
  assert.strictEqual(yield* status(app), "provisioning")
  yield* advance(app, 1)
  assert.strictEqual(yield* status(app), "running")
})

describe("a deployment", () => {
  it.live("takes a second by default, and fills in the null fields", () =>
    Effect.gen(function*() {
      const app = yield* startEmulator()
      yield* freeze(app)
      const empty = { provider_id: null, ipv4: null }
      assert.deepInclude(yield* create(app), { ...empty, status: "pending" })
      yield* advance(app, 999)
      assert.deepInclude(yield* show(app), { ...empty, status: "provisioning" })
      yield* advance(app, 1)
      assert.deepInclude(yield* show(app), { provider_id: "sim-1", ipv4: "198.18.0.1", status: "running" })
    }))
})

describe("every other operation", () => {
  it.live("takes 200 ms, and none with instant", () =>
    Effect.gen(function*() {
      const app = yield* startEmulator()
      yield* takesASecond(app)
      yield* stop(app)
      yield* advance(app, 199)
      assert.strictEqual(yield* status(app), "stopping")
      yield* advance(app, 1)
      assert.strictEqual(yield* status(app), "stopped")
      yield* app.control("PUT", "/deploy", { mode: "instant" })
      yield* app.api({ method: "POST", path: "/instances/1/start" })
      assert.strictEqual(yield* status(app), "running")
    }))
})

describe("another setting", () => {
  it.live("holds for what is still being deployed, and leaves what is deployed alone", () =>
    Effect.gen(function*() {
      const app = yield* startEmulator()
      yield* app.control("PUT", "/deploy", { mode: "instant" })
      yield* create(app)
      yield* deployed(app, 1)
      yield* app.control("PUT", "/deploy", { mode: "after_polls", value: 2 })
      // The machine takes orders, and carries them out.
      const renamed = yield* app.api({ method: "PATCH", path: "/instances/1/hostname", body: { hostname: "db" } })
      assert.strictEqual(renamed.status, 200)
      const { id } = yield* create(app)
      assert.strictEqual((yield* app.api({ path: `/instances/${id}` })).body.status, "provisioning")
      yield* app.control("PUT", "/deploy", { mode: "instant" })
      assert.strictEqual((yield* app.api({ path: `/instances/${id}` })).body.status, "running")
    }))
})

describe("a reset", () => {
  it.live("takes the deploy setting back, too", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* app.control("PUT", "/deploy", { mode: "after_polls", value: 9 })
      yield* app.control("POST", "/reset")
      yield* takesASecond(app)
    }))
})

describe("a restart on the same file", () => {
  it.live("keeps machines and the deploy setting", () =>
    Effect.gen(function*() {
      const flags = ["--database", `${yield* temporaryFolder}/emulator.db`]
      const before = yield* Effect.scoped(Effect.gen(function*() {
        const app = yield* startEmulator(flags)
        yield* app.control("PUT", "/deploy", { mode: "after_polls", value: 2 })
        yield* create(app)
        const shown = yield* deployed(app, 1)
        yield* freeze(app)
        return shown
      }))
      const app = yield* startEmulator(flags)
      assert.deepStrictEqual(yield* show(app), before)
      // The machine exists and can be renamed at the driver; the next one is another machine.
      const renamed = yield* app.api({ method: "PATCH", path: "/instances/1/hostname", body: { hostname: "db" } })
      assert.strictEqual(renamed.status, 200)
      const { id } = yield* create(app)
      const reads = yield* Effect.forEach([1, 2], () => app.api({ path: `/instances/${id}` }))
      assert.deepStrictEqual(reads.map(({ body }) => body.provider_id), [null, "sim-2"])
    }))
})
