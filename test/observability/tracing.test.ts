/** Spans of requests, tasks and the driver's calls reach a collector; nothing of it is loaded without one. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { temporaryFolder } from "../support/temporary.ts"
import { deployed, startApp } from "../support/app.ts"
import { attribute, collector, spansOf } from "../support/collector.ts"

/** Runs an app against the collector; its spans are all sent when it has stopped. */
const traced = Effect.fnUntraced(function*(...flags: ReadonlyArray<string>) {
  const to = yield* collector
  const scope = yield* Scope.make()
  const app = yield* Scope.provide(startApp(["--otlp-endpoint", to.url, ...flags]), scope)
  return { app, to, stop: Scope.close(scope, Exit.void) }
})

describe("traces", () => {
  it.live("show a request by its route, and the task and upstream call that came of it by its id", () =>
    Effect.gen(function*() {
      const { app, stop, to } = yield* traced()
      const headers = { "x-request-id": "r-traced", "idempotency-key": "a-key-that-nobody-may-see" }
      const { body } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 }, headers })
      yield* deployed(app, body.id)
      yield* Effect.promise(() => fetch(`${app.origin}/livez`))
      yield* stop
      assert.deepStrictEqual([...to.paths], ["/v1/traces"])
      const spans = spansOf(to)
      const find = (name: string) => spans.find((span) => span.name === name)!
      const request = find("POST /api/v1/instances")
      assert.strictEqual(attribute(request, "vps.request.id"), "r-traced")
      assert.equal(attribute(request, "http.response.status_code"), 201)
      const task = find("task provision")
      assert.strictEqual(attribute(task, "vps.request.id"), "r-traced")
      assert.strictEqual(attribute(task, "vps.task.outcome"), "succeeded")
      assert.equal(attribute(task, "vps.instance.id"), body.id)
      assert.notStrictEqual(task.traceId, request.traceId)
      assert.deepInclude(task.links[0], { traceId: request.traceId, spanId: request.spanId })
      const call = find("driver.submit provision")
      assert.deepStrictEqual([call.traceId, call.parentSpanId], [task.traceId, task.spanId])
      assert.notInclude(spans.map(({ name }) => name), "GET /livez")
      const all = JSON.stringify(to.exports)
      assert.notInclude(all, "a-key-that-nobody-may-see")
      assert.notInclude(all, app.key)
      assert.include(all, "vps-service")
    }).pipe(Effect.scoped))

  it.live("link a task to its request, across a restart and to its compensation; a scheduled task has no link", () =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/traced.db`
      const first = yield* traced("--database", path)
      yield* first.app.control("PUT", "/deploy", { mode: "after_ms", value: 3_600_000 })
      const { body } = yield* first.app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      yield* first.stop
      const request = spansOf(first.to).find(({ name }) => name === "POST /api/v1/instances")!
      const second = yield* traced("--database", path)
      yield* second.app.control("PUT", "/deploy", { mode: "instant" })
      yield* deployed(second.app, body.id)
      yield* second.app.control("POST", "/faults", { operation: "driver.provision", driver: "rejected", count: 1 })
      const refused = yield* second.app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      yield* deployed(second.app, refused.body.id, "failed")
      yield* second.app.control("POST", "/clock", { advance_ms: 24 * 3_600_000 })
      yield* second.stop
      const spans = spansOf(second.to)
      const later = spans.find(({ name }) => name === "POST /api/v1/instances")!
      const undo = spans.find(({ name }) => name === "task terminate")!
      assert.deepInclude(undo.links[0], { traceId: later.traceId, spanId: later.spanId })
      const task = spans.find((span) =>
        span.name === "task provision" && attribute(span, "vps.instance.id") == body.id
      )!
      assert.deepInclude(task.links[0], { traceId: request.traceId, spanId: request.spanId })
      assert.deepStrictEqual(spans.find(({ name }) => name === "task backup_create")!.links, [])
    }).pipe(Effect.scoped))

  it.live("continue the trace of the caller", () =>
    Effect.gen(function*() {
      const { app, stop, to } = yield* traced()
      const [trace, parent] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"]
      yield* app.api({ path: "/whoami", headers: { traceparent: `00-${trace}-${parent}-01` } })
      yield* stop
      const request = spansOf(to).find(({ name }) => name === "GET /api/v1/whoami")!
      assert.deepStrictEqual([request.traceId, request.parentSpanId], [trace, parent])
    }).pipe(Effect.scoped))

  it.live("hold nothing up when the collector is away", () =>
    Effect.gen(function*() {
      const app = yield* startApp(["--otlp-endpoint", "http://127.0.0.1:9"])
      assert.strictEqual((yield* app.api({ path: "/whoami" })).status, 200)
    }).pipe(Effect.scoped))
})
