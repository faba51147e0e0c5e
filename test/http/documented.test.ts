/** Responses match the OpenAPI document in their statuses and in the headers that clients use. */
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { routeOf } from "#service/http/middleware/RouteTable"
import { type Answer, type Request, startApp, type TestApp } from "../support/app.ts"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startApp(["--rate-limits"]))
}

/** Headers that any HTTP response may have. */
const ORDINARY = new Set(
  "connection content-length content-type date keep-alive transfer-encoding".split(" ")
)

interface Documented {
  readonly headers: Readonly<Record<string, unknown>>
}

const document = openApiDocument()

const documented = ({ method = "GET", path }: Request, { status }: Answer): Documented | undefined => {
  const pattern = routeOf(`/api/v1${path}`)!.pattern.replace(/\/$/, "")
  const item = document.paths[pattern] as unknown as Record<string, { responses: Record<string, Documented> }>
  return item[method.toLowerCase()]!.responses[status]
}

/** Every header of the response is documented. */
const assertDocumented = (request: Request, answer: Answer, message?: string) => {
  const names = new Set(Object.keys(documented(request, answer)!.headers).map((name) => name.toLowerCase()))
  const sent = [...answer.headers.keys()].filter((name) => !ORDINARY.has(name))
  assert.deepStrictEqual(sent.filter((name) => !names.has(name)), [], message)
  assert.strictEqual(answer.headers.has("ratelimit"), names.has("ratelimit"), message)
}

const REQUESTS: ReadonlyArray<readonly [told: string, request: Request, status: number]> = [
  ["a read", { path: "/whoami" }, 200],
  ["no key", { path: "/whoami", key: "" }, 401],
  ["what is not there", { path: "/instances/99" }, 404],
  ["a malformed id", { path: "/instances/x" }, 422],
  ["a create", { method: "POST", path: "/instances", body: { service_id: 1 } }, 201],
  ["a preview", { method: "POST", path: "/instances?dry_run=true", body: { service_id: 1 } }, 200],
  ["a plan of another kind", { method: "POST", path: "/instances", body: { service_id: 7 } }, 400],
  ["a body that does not fit", { method: "POST", path: "/instances", body: {} }, 422],
  ["a body in a coding", {
    method: "POST",
    path: "/instances",
    body: { service_id: 1 },
    headers: { "content-encoding": "gzip" }
  }, 415],
  ["a body that is too large", { method: "POST", path: "/instances", text: "x".repeat(70_000) }, 413]
]

layer(App.layer, { excludeTestServices: true })("the OpenAPI document", (it) => {
  it.effect.each(REQUESTS)("documents %s", ([told, request, status]) =>
    Effect.gen(function*() {
      const answer = yield* (yield* App).api(request)
      assert.strictEqual(answer.status, status)
      assert.isDefined(documented(request, answer), `${told} is answered with ${status}`)
      assertDocumented(request, answer, told)
    }))

  it.effect("documents the headers of a replay, a busy instance and a rate-limited create", () =>
    Effect.gen(function*() {
      const app = yield* App
      yield* app.control("PUT", "/deploy", { mode: "after_ms", value: 60_000 })
      const headers = { "idempotency-key": "k-1" }
      const buy: Request = { method: "POST", path: "/instances", body: { service_id: 1 }, headers }
      const { body } = yield* app.api(buy)
      const replay = yield* app.api({ ...buy, body: { service_id: 2 } })
      assert.isTrue(
        ["idempotent-replayed", "idempotent-mismatch", "location"].every((name) => replay.headers.has(name))
      )
      const stop: Request = { method: "POST", path: `/instances/${body.id}/stop` }
      const busy = yield* app.api(stop)
      assert.deepStrictEqual([busy.status, busy.headers.has("retry-after")], [409, true])
      const creates = Array.from({ length: 12 }, () => app.api({ ...buy, headers: {} }))
      const answers = yield* Effect.all(creates, { concurrency: 1 })
      const soon = answers.find(({ status }) => status === 429)!
      assert.isTrue(soon.headers.has("retry-after"))
      for (const [request, answer] of [[buy, replay], [stop, busy], [buy, soon]] as const) {
        assertDocumented(request, answer)
      }
    }))
})
