/** POST, GET, DELETE /_emulator/faults: every effect, at endpoints and at the driver. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as TestClock from "effect/testing/TestClock"
import type { Fault } from "#service/emulator/Faults"
import { injectFaults } from "#service/emulator/InjectedFaults"
import { deployed, startApp, type TestApp } from "../support/app.ts"
import { temporaryFolder } from "../support/temporary.ts"

const fault = (app: TestApp, rule: object) => app.control("POST", "/faults", rule)
const create = (app: TestApp, headers: Record<string, string> = {}, query = "") =>
  app.api({ method: "POST", path: `/instances${query}`, body: { service_id: 1 }, headers })
const times = <A>(count: number, effect: Effect.Effect<A>) => Effect.all(Array.from({ length: count }, () => effect))
const hits = (app: TestApp) =>
  Effect.map(app.control("GET", "/faults"), ({ body }) => body.map((rule: { hits: number }) => rule.hits))
const bought = (app: TestApp) => Effect.map(app.api({ path: "/instances" }), ({ body }) => body.length as number)
/** The status of the last request, even if the client received none. */
const logged = (app: TestApp) => Effect.map(app.control("GET", "/requests"), ({ body }) => body.at(-1).status as number)
/** True if the client received a response. */
const heard = <A>(request: Effect.Effect<A>) => Effect.map(Effect.exit(request), (exit) => exit._tag === "Success")

/** Applies one rule to every request. */
const interceptWith = (fault: Fault) => {
  const { clear, reload } = { clear: Effect.void, reload: Effect.void }
  const next = () => Effect.succeed(fault)
  return injectFaults({ all: Effect.succeed([fault]), add: () => Effect.succeed(fault), clear, reload, next })
}

describe("a fault at an endpoint", () => {
  it.live("with a status is answered instead of doing the work, as often as it counts", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const made = yield* fault(app, { operation: "instances.create", status: 503, count: 2 })
      assert.strictEqual(made.status, 201)
      assert.deepInclude(made.body, { id: 1, operation: "instances.create", status: 503, count: 2, hits: 0 })
      const answers = yield* times(3, create(app))
      assert.deepStrictEqual(answers.map(({ status }) => status), [503, 503, 201])
      assert.isString(answers[0]!.body.detail)
      assert.strictEqual(yield* bought(app), 1)
      assert.deepStrictEqual(yield* hits(app), [2])
    }))

  it.live("of real creates leaves dry runs alone, and the other way round", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* fault(app, { operation: "instances.create", status: 500 })
      assert.strictEqual((yield* create(app, {}, "?dry_run=yes")).status, 200)
      assert.strictEqual((yield* create(app, {}, "?dry_run=false")).status, 500)
      yield* app.control("DELETE", "/faults")
      yield* fault(app, { operation: "instances.dry_run", status: 502 })
      assert.strictEqual((yield* create(app, {}, "?dry_run=TRUE")).status, 502)
      assert.strictEqual((yield* create(app)).status, 201)
    }))

  it.live("has the shape of the API: 422 a list, 429 with Retry-After", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* fault(app, { operation: "services.list", status: 422, count: 1 })
      yield* fault(app, { operation: "services.list", status: 429, count: 1 })
      assert.deepStrictEqual((yield* app.api({ path: "/services" })).body.detail[0].loc, ["body"])
      const limited = yield* app.api({ path: "/services" })
      assert.deepStrictEqual([limited.status, limited.headers.get("retry-after")], [429, "1"])
      assert.strictEqual((yield* app.api({ path: "/services" })).status, 200)
    }))

  it.live("cuts the connection before the work: nothing was done", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* fault(app, { operation: "instances.create", drop_connection: "before", count: 1 })
      assert.isFalse(yield* heard(create(app)))
      assert.strictEqual(yield* logged(app), 499)
      assert.strictEqual(yield* bought(app), 0)
    }))

  it.live("cuts it after the work: it was done, and the same key replays it", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* fault(app, { operation: "instances.create", drop_connection: "after", count: 1 })
      const headers = { "idempotency-key": "k1" }
      assert.isFalse(yield* heard(create(app, headers)))
      assert.strictEqual(yield* logged(app), 201)
      assert.strictEqual(yield* bought(app), 1)
      const again = yield* create(app, headers)
      assert.deepStrictEqual([again.status, again.headers.get("idempotent-replayed")], [201, "true"])
      assert.strictEqual(yield* bought(app), 1)
    }))

  it.effect("waits first, then does the work", () =>
    Effect.gen(function*() {
      const rule = { operation: "account.whoami", latency_ms: 60, seed: 0 }
      const intercept = interceptWith({ id: 1, rule, drawn: 0, hits: 1 })
      let done = false
      const work = Effect.sync(() => {
        done = true
        return HttpServerResponse.empty()
      })
      const request = HttpServerRequest.fromWeb(new Request("http://127.0.0.1/api/v1/whoami"))
      const answered = intercept("account.whoami", work).pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request)
      )
      const fiber = yield* Effect.forkChild(answered, { startImmediately: true })
      yield* TestClock.adjust(59)
      assert.isFalse(done)
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(fiber)).status, 204)
    }))
})

describe("probability", () => {
  const pattern = Effect.fnUntraced(function*(seed: number) {
    const app = yield* startApp()
    yield* fault(app, { operation: "services.list", status: 500, probability: 0.5, seed })
    return (yield* times(40, app.api({ path: "/services" }))).map(({ status }) => status)
  }, Effect.scoped)

  it.live("is the same under the same seed, and another under another", () =>
    Effect.gen(function*() {
      const first = yield* pattern(7)
      assert.deepStrictEqual(yield* pattern(7), first)
      assert.notDeepEqual(yield* pattern(8), first)
      const struck = first.filter((status) => status === 500).length
      assert.isAbove(struck, 8)
      assert.isBelow(struck, 32)
    }))

  it.live("of 0 never applies, of 1 always; a generated seed is returned", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { body } = yield* fault(app, { operation: "services.list", status: 500, probability: 0 })
      assert.isTrue(Number.isInteger(body.seed))
      assert.strictEqual((yield* app.api({ path: "/services" })).status, 200)
      yield* fault(app, { operation: "services.list", status: 503, probability: 1, count: 1 })
      assert.strictEqual((yield* app.api({ path: "/services" })).status, 503)
      assert.strictEqual((yield* app.api({ path: "/services" })).status, 200)
    }))
})

describe("a fault at the driver", () => {
  it.live.each(
    [
      ["busy", "running", [1]],
      ["unavailable", "running", [1]],
      ["lost_answer", "running", [1]],
      ["rejected", "failed", [1]]
    ] as const
  )(
    "%s while a server is built: it ends %s, with one machine or none",
    ([driver, status, struck]) =>
      Effect.gen(function*() {
        const app = yield* startApp()
        yield* app.control("POST", "/clock", { freeze: true })
        yield* fault(app, { operation: "driver.provision", driver, count: 1 })
        const { body } = yield* create(app)
        yield* app.control("POST", "/clock", { advance_ms: 60_000 })
        const instance = yield* deployed(app, body.id, status)
        assert.strictEqual(instance.provider_id, status === "running" ? "sim-1" : null)
        assert.deepStrictEqual(yield* hits(app), struck)
        const { body: ledger } = yield* app.control("GET", "/ledger")
        assert.strictEqual(ledger.journals.length, status === "running" ? 2 : 3)
      })
  )

  it.live("latency passes in the emulator's time", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* app.control("POST", "/clock", { freeze: true })
      yield* fault(app, { operation: "driver.provision", latency_ms: 10_000 })
      const { body } = yield* create(app)
      const status = Effect.map(app.api({ path: `/instances/${body.id}` }), (answer) => answer.body.status as string)
      yield* app.control("POST", "/clock", { advance_ms: 9_999 })
      assert.strictEqual(yield* status, "provisioning")
      yield* app.control("POST", "/clock", { advance_ms: 1 })
      assert.strictEqual(yield* status, "running")
    }))
})

describe("rules", () => {
  it.live("are listed, survive a restart on a file with their counts, and go with DELETE or a reset", () =>
    Effect.gen(function*() {
      const flags = ["--database", `${yield* temporaryFolder}/emulator.db`]
      yield* Effect.scoped(Effect.gen(function*() {
        const app = yield* startApp(flags)
        yield* fault(app, { operation: "services.list", status: 500, count: 2 })
        yield* app.api({ path: "/services" })
      }))
      const app = yield* startApp(flags)
      assert.deepStrictEqual(yield* hits(app), [1])
      assert.deepStrictEqual(
        (yield* times(2, app.api({ path: "/services" }))).map(({ status }) => status),
        [500, 200]
      )
      yield* app.control("DELETE", "/faults")
      assert.deepStrictEqual(yield* hits(app), [])
      yield* fault(app, { operation: "services.list", status: 500 })
      yield* app.control("POST", "/reset")
      assert.deepStrictEqual(yield* hits(app), [])
      assert.strictEqual((yield* app.api({ path: "/services" })).status, 200)
    }))

  it.live.each([
    [{ status: 500 }, "operation", "missing"],
    [{ operation: "instances.buy", status: 500 }, "operation", "value_error"],
    [{ operation: "driver.buy", driver: "busy" }, "operation", "value_error"],
    [{ operation: "instances.get" }, "status", "missing"],
    [{ operation: "driver.provision" }, "driver", "missing"],
    [{ operation: "instances.get", driver: "busy" }, "driver", "value_error"],
    [{ operation: "driver.provision", status: 500 }, "status", "value_error"],
    [{ operation: "driver.provision", drop_connection: "after" }, "drop_connection", "value_error"],
    [{ operation: "instances.get", status: 399 }, "status", "greater_than_equal"],
    [{ operation: "instances.get", status: 600 }, "status", "less_than_equal"],
    [{ operation: "instances.get", drop_connection: "during" }, "drop_connection", "literal_error"],
    [{ operation: "instances.get", status: 500, probability: 1.5 }, "probability", "less_than_equal"],
    [{ operation: "instances.get", status: 500, count: 0 }, "count", "greater_than_equal"],
    [{ operation: "instances.get", status: 500, probability: "high" }, "probability", "float_type"]
  ])("%j is refused at %s", ([rule, field, type]) =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { body, status } = yield* fault(app, rule as object)
      assert.strictEqual(status, 422)
      assert.deepStrictEqual([body.detail[0].loc, body.detail[0].type], [["body", field], type])
      assert.deepStrictEqual(yield* hits(app), [])
    }))
})
