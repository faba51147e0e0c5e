/** One class per status, with readable messages that contain no secrets. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inspect } from "node:util"
import * as Sdk from "#sdk/index"
import { failureOf, script, type Step } from "./support/scripted.ts"

const answered = (step: Step) => failureOf(script([step]).client.instances.get(7, { maxRetries: 0 }))

const CLASSES = [
  [400, Sdk.BadRequestError],
  [401, Sdk.UnauthorizedError],
  [402, Sdk.PaymentRequiredError],
  [403, Sdk.ForbiddenError],
  [404, Sdk.NotFoundError],
  [409, Sdk.ConflictError],
  [422, Sdk.ValidationError],
  [429, Sdk.RateLimitError],
  [502, Sdk.BadGatewayError],
  [503, Sdk.ServiceUnavailableError],
  [500, Sdk.InternalServerError],
  [501, Sdk.InternalServerError],
  [504, Sdk.InternalServerError],
  [599, Sdk.InternalServerError],
  [301, Sdk.UnexpectedStatusError],
  [405, Sdk.UnexpectedStatusError],
  [413, Sdk.UnexpectedStatusError],
  [418, Sdk.UnexpectedStatusError]
] as const

describe("an error response", () => {
  it.effect.each(CLASSES)("%i is a %o", ([status, expected]) =>
    Effect.gen(function*() {
      const error = yield* answered({ status, body: { detail: "words" }, headers: { "x-request-id": "r1" } })
      for (const parent of [expected, Sdk.ApiError, Sdk.VpsError, Error]) assert.isTrue(error instanceof parent)
      assert.deepStrictEqual([error._tag, error.name, error.constructor], [expected.name, expected.name, expected])
      assert.strictEqual(error.message, `${status} GET /instances/7: words (request id r1)`)
      assert.deepInclude(error, { status, detail: "words", requestId: "r1", method: "GET", path: "/instances/7" })
    }))

  it.effect("has the number of attempts in its message if there were several", () =>
    Effect.gen(function*() {
      const detail = "The wallet balance is too low"
      const steps: ReadonlyArray<Step> = [{ status: 502 }, { status: 402, body: { detail } }]
      const error = yield* failureOf(script(steps).client.instances.create({ service_id: 1 }))
      assert.strictEqual(error.message, `402 POST /instances: ${detail} (attempts 2)`)
    }))

  it.effect.each(
    [
      ["https://server.test/api/v1/instances/7", "Set the base URL to https://server.test/api/v1"],
      ["/new/instances/7", "Set the base URL to https://server.test/new", "https://server.test/new/instances/7"],
      ["https://sign-in.test/?to=7", "Check the base URL"],
      ["https://[", "Check the base URL"]
    ] as const
  )(
    "names the target of a redirect to %s, and the base URL: %s",
    ([location, advice, target = location]) =>
      Effect.gen(function*() {
        const error = yield* answered({ status: 301, text: "<html>Moved</html>", headers: { location } })
        assert.include(error.message, `The server redirects to ${target}. ${advice}`)
      })
  )

  it.effect("can be caught by its tag", () =>
    Effect.gen(function*() {
      const call = script([{ status: 404, body: { detail: "no" } }]).client.instances.get(7)
      const caught = yield* Effect.catchTag(call, "NotFoundError", (error) => Effect.succeed(error.status))
      assert.strictEqual(caught, 404)
    }))

  it.effect("has the response headers, but not in a log", () =>
    Effect.gen(function*() {
      const error = yield* answered({ status: 409, headers: { location: "/api/v1/instances/7" }, body: {} })
      assert(error._tag === "ConflictError")
      assert.strictEqual(error.headers["location"], "/api/v1/instances/7")
      assert.notInclude(inspect(error), "location")
    }))

  it.effect.each(
    [
      ["insufficient_scope\", scope=\"vps:create\"", "no scope here", "vps:create"],
      [undefined, "This key lacks the scope vps:write.", "vps:write"],
      ["insufficient_scope\", scope=\"vps:create\"", "needs vps:write", "vps:create"],
      [undefined, "Forbidden", undefined]
    ] as const
  )("403 with %s and %s lacks %s", ([challenge, detail, scope]) =>
    Effect.gen(function*() {
      const headers = challenge === undefined ? {} : { "www-authenticate": `Bearer realm="vps", error="${challenge}` }
      const error = yield* answered({ status: 403, headers, body: { detail } })
      assert(error._tag === "ForbiddenError")
      assert.strictEqual(error.missingScope, scope)
    }))

  it.effect("422 lists its issues, without the input that some servers add", () =>
    Effect.gen(function*() {
      const detail = [
        { loc: ["body", "hostname"], msg: "String should have at least 1 character", type: "string_too_short" },
        { loc: ["body", "root_password"], msg: "Too short", type: "string_too_short", input: "hunter2" }
      ]
      const error = yield* answered({ status: 422, body: { detail } })
      assert(error._tag === "ValidationError")
      assert.deepStrictEqual(error.issues, detail.map(({ loc, msg, type }) => ({ loc, msg, type })))
      const text = "body.hostname: String should have at least 1 character; body.root_password: Too short"
      assert.strictEqual(error.detail, text)
      assert.notInclude(inspect(error, { depth: 9 }), "hunter2")
    }))

  it.effect.each(
    [
      [{ status: 422, body: { detail: "one sentence" } }, "one sentence"],
      [{ status: 422, body: { detail: [] } }, "No detail in the response (no content type, 13 bytes)"],
      [{ status: 422, body: { detail: ["odd", 1, null] } }, "No detail in the response (no content type, 25 bytes)"],
      [{ status: 500, text: "<h1>oops</h1>", headers: { "content-type": "text/html" } }, "(text/html, 13 bytes)"],
      [{ status: 500, text: "" }, "No detail in the response (no content type, 0 bytes)"],
      [{ status: 500, text: "null" }, "No detail in the response (no content type, 4 bytes)"],
      [{ status: 500, body: { detail: { deep: 1 } } }, "No detail in the response"]
    ] as const
  )("tolerates the body of %j", ([step, detail]) =>
    Effect.gen(function*() {
      const error = yield* answered(step)
      assert(error instanceof Sdk.ApiError)
      assert.include(error.detail, detail)
    }))

  it.effect("truncates a detail that is a page", () =>
    Effect.gen(function*() {
      const error = yield* answered({ status: 500, body: { detail: "x".repeat(5000) } })
      assert(error._tag === "InternalServerError")
      assert.strictEqual(error.detail.length, 1000)
    }))
})

describe("a missing or invalid response", () => {
  it.effect("reports that nothing was sent", () =>
    Effect.gen(function*() {
      const error = yield* failureOf(script(["refused"]).client.power.stop(7))
      assert(error._tag === "ConnectionError")
      assert.deepStrictEqual([error.code, error.responseLost, error.attempts], ["ECONNREFUSED", false, 5])
      const text = "POST /instances/7/stop: connect ECONNREFUSED 127.0.0.1:9; nothing was sent (attempts 5)"
      assert.strictEqual(error.message, text)
    }))

  it.effect("reports that the request may have been processed", () =>
    Effect.gen(function*() {
      const error = yield* failureOf(script(["lost"]).client.power.stop(7))
      assert(error._tag === "ConnectionError")
      const text = "other side closed (UND_ERR_SOCKET); the response was lost, so the request may have been processed"
      assert.strictEqual(error.message, `POST /instances/7/stop: ${text}`)
      assert.instanceOf(error.cause, Error)
    }))

  it.effect("does not show an invalid body", () =>
    Effect.gen(function*() {
      const error = yield* answered({ status: 200, text: "{\"password\": \"hunter2\"" })
      assert(error._tag === "DecodeError")
      const text = "200 GET /instances/7: Expected a JSON object (got no content type, 22 bytes)"
      assert.strictEqual(error.message, text)
      assert.notInclude(inspect(error, { depth: 9, showHidden: true }), "hunter2")
    }))

  it.effect.each(["[]", "7", "null", "\"text\"", ""])(
    "rejects %s as an instance",
    (text) => Effect.map(answered({ status: 200, text }), (error) => assert.strictEqual(error._tag, "DecodeError"))
  )

  it.effect("rejects a record as a list", () =>
    Effect.gen(function*() {
      const error = yield* failureOf(script([{ status: 200, body: { id: 7 } }]).client.instances.list())
      assert.match(error.message, /Expected a JSON array/)
    }))

  it.effect("of a create has the key: it may have bought an instance", () =>
    Effect.gen(function*() {
      const server = script([{ status: 201, body: { ok: true } }])
      const error = yield* failureOf(server.client.instances.create({ service_id: 1 }))
      assert.deepStrictEqual([error._tag, error.idempotencyKey], ["DecodeError", server.keys()[0]])
    }))

  it.effect("of a dry run is rejected if it is an instance: it may have bought one", () =>
    Effect.gen(function*() {
      const error = yield* failureOf(
        script([{ status: 201, body: { id: 7 } }]).client.instances.dryRun({ service_id: 1 })
      )
      assert.strictEqual(error._tag, "DecodeError")
      assert.match(error.message, /Check whether it bought/)
    }))
})

describe("secrets", () => {
  const secrets = { apiKey: "vps_live_topsecret", password: "hunter2-hunter2" }
  const echo = `${secrets.apiKey} and ${secrets.password}`
  const steps: ReadonlyArray<readonly [string, Step]> = [
    ["a detail", { status: 400, body: { detail: echo } }],
    ["issues", { status: 422, body: { detail: [{ loc: ["body"], msg: echo, type: "t", input: secrets.password }] } }],
    ["a page", { status: 500, text: echo }],
    ["a success that is not JSON", { status: 201, text: echo }],
    ["a lost response", "lost"]
  ]
  it.effect.each(steps)("are not in an error after %s", ([, step]) =>
    Effect.gen(function*() {
      const { client } = script([step], { apiKey: secrets.apiKey })
      const error = yield* failureOf(client.instances.create({ service_id: 1, root_password: secrets.password }))
      const shown = [String(error), error.stack, JSON.stringify(error), inspect(error, { depth: 9, showHidden: true })]
      for (const text of shown) {
        assert.notInclude(text, secrets.apiKey)
        assert.notInclude(text, secrets.password)
      }
    }))

  it("are not in a printed client", () => {
    const vps = new Sdk.Vps({ apiKey: secrets.apiKey, baseUrl: "https://server.test/api/v1" })
    assert.notInclude(inspect(vps, { depth: 9, showHidden: true }), secrets.apiKey)
    assert.notInclude(JSON.stringify(vps), secrets.apiKey)
  })
})
