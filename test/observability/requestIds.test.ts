/** A request's id leads to every task that was done for it, and to what the log says of them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type { TaskPage } from "#contract/Monitoring"
import { traced } from "#service/tasks/TaskTelemetry"
import { deployed, startApp, type TestApp } from "../support/app.ts"
import { allTasks, buy, coreLayer } from "../support/service.ts"

const feed = (app: TestApp, id: number) =>
  Effect.map(app.api({ path: `/instances/${id}/tasks` }), ({ body }) => (body as TaskPage).items)

const named = (id: string) => ({ headers: { "x-request-id": id } })

describe("a request's id", () => {
  it.live("is on the task of every operation that it started", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const bought = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 }, ...named("r-buy") })
      const id = bought.body.id
      yield* deployed(app, id)
      yield* app.api({ method: "POST", path: `/instances/${id}/stop`, ...named("r-stop") })
      yield* deployed(app, id, "stopped")
      const body = { hostname: "a.example.test" }
      yield* app.api({ method: "PATCH", path: `/instances/${id}/hostname`, body, ...named("r-name") })
      const seen = (yield* feed(app, id)).map(({ request_id: requestId, type }) => [type, requestId])
      assert.deepStrictEqual(seen, [["set_hostname", "r-name"], ["stop", "r-stop"], ["provision", "r-buy"]])
    }).pipe(Effect.scoped))

  it.live("is the one that the service made and answered when the client sent none", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const bought = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      const [task] = yield* feed(app, bought.body.id)
      assert.strictEqual(task!.request_id, bought.headers.get("x-request-id"))
    }).pipe(Effect.scoped))

  it.live("is in the log of the task", () =>
    Effect.gen(function*() {
      yield* buy()
      const [task] = yield* allTasks
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
      yield* traced(task!, Effect.logError("It went wrong")).pipe(Effect.provide(logger))
      const { annotations } = JSON.parse(lines[0]!)
      assert.deepStrictEqual(annotations, { task_id: task!.id, instance_id: task!.instanceId, request_id: "r-1" })
    }).pipe(Effect.provide(coreLayer())))
})
