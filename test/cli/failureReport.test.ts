/** `vps` reports failures with a solution and an exit code. */
import { assert, describe, it } from "vitest"
import { apiError } from "#sdk/client/errors/ApiErrors"
import {
  ConnectionError,
  DecodeError,
  ProvisioningFailedError,
  TimeoutError,
  withInstance
} from "#sdk/client/errors/Errors"
import { ConfigurationError, WaitTimeoutError } from "#sdk/client/errors/Errors"
import { closest, didYouMean, EXIT, EXIT_CODES, usageError } from "#sdk/cli/errors/CommandError"
import { type Failure, reportFailure } from "#sdk/cli/output/FailureReport"
import { assertLike } from "../support/like.ts"

const create = { method: "POST", path: "/instances", attempts: 1, idempotencyKey: "k-1", requestId: "r-1" }
const response = (status: number, more: object = {}) =>
  apiError({
    ...create,
    status,
    detail: "the message",
    retryAfter: undefined,
    headers: {},
    missingScope: undefined,
    issues: [],
    ...more
  })
const report = (error: Failure) => reportFailure(error, { colors: false })
const RESUME = "Run the same command with --idempotency-key k-1 to resume. It never buys twice."

describe("exit codes", () => {
  it.each([
    [response(400), EXIT.failed],
    [response(401), EXIT.auth],
    [response(402), EXIT.insufficientFunds],
    [response(403), EXIT.auth],
    [response(404), EXIT.notFound],
    [response(409), EXIT.failed],
    [response(422), EXIT.failed],
    [response(429), EXIT.failed],
    [response(503), EXIT.failed],
    [new ConfigurationError("no"), EXIT.usage],
    [new DecodeError(200, "no", create), EXIT.failed],
    [new ProvisioningFailedError(7, "failed", {}), EXIT.failed],
    [usageError("no"), EXIT.usage]
  ])("%s has its exit code", (error, exit) => assert.strictEqual(report(error).exit, exit))
  it("are all documented", () => {
    assert.deepStrictEqual(EXIT_CODES.map(([code]) => code).toSorted(), Object.values(EXIT).toSorted())
  })
})

describe("a purchase", () => {
  it.each([
    [response(503)],
    [response(429, { retryAfter: 3 })],
    [new ConnectionError("reset", "ECONNRESET", true, create)],
    [new TimeoutError(1, true, create)],
    [new DecodeError(201, "no id", create)]
  ])(
    "whose outcome is unknown after %s is resumed with its key",
    (error) => assert.include(report(error).text, RESUME)
  )
  it.each([[response(402)], [response(404)], [response(403)], [response(422)]])(
    "that was rejected with %s is not resumed",
    (error) => assert.notInclude(report(error).text, "k-1")
  )
  it("that was made names the instance and the key", () => {
    assert.include(
      report(withInstance(response(500), 7, undefined, "k-1")).text,
      "Instance 7 was bought (idempotency key k-1). See it: vps instance get 7\n"
    )
  })
})

describe("a report", () => {
  it("has a line each for the problem, the solution, and the request ID", () => {
    assert.strictEqual(
      report(response(403, { missingScope: "vps:write" })).text,
      "vps: the message\nvps: Log in with a key that has the vps:write scope: vps login\nvps: Request ID: r-1\n"
    )
    assert.include(report(response(409, { retryAfter: 4, idempotencyKey: undefined })).text, "vps: Try again in 4 s.\n")
  })
  it("names each wrong field", () => {
    const issues = [{ loc: ["body", "hostname"], msg: "too long", type: "x" }, { loc: ["query"], msg: "no", type: "x" }]
    assert.match(report(response(422, { issues })).text, /^vps: hostname: too long\nvps: query: no\nvps: Request/)
  })
  it.each([
    ["os", "Value error, os \"x\" is not available for this plan", "\"x\" is not available for this plan"],
    ["name", "String should have at least 1 character", "should have at least 1 character"],
    ["id", "Input should be a valid integer, unable to parse string as an integer", "should be a whole number"],
    ["ptr", "Field required", "is required"],
    ["colour", "Extra inputs are not permitted", "is not a field of this request"]
  ])("words an issue with %s for people, not for programs: %s", (field, msg, plain) => {
    const { document, text } = report(
      response(422, { issues: [{ loc: ["body", field], msg, type: "x" }], detail: msg })
    )
    assert.include(text, `vps: ${field}: ${plain}\n`)
    assertLike(JSON.parse(document).error, {
      message: `${field}: ${plain}`,
      detail: `${field}: ${plain}`,
      issues: [{ loc: ["body", field], msg: plain, type: "x" }]
    })
  })
  it("says how to continue after a wait timed out", () => {
    const late = withInstance(
      new WaitTimeoutError({ id: 7, target: "idle", resume: "x", status: "running", waitTimeout: 2_000 }, {}),
      7
    )
    assertLike(report(late), {
      exit: EXIT.timeout,
      text:
        "vps: Instance 7 was not ready after 2 s.\nvps: The operation continues. To keep waiting: vps instance wait 7\n"
    })
  })
  it("replaces control characters", () => {
    assert.strictEqual(
      report(response(404, { detail: "a\u001b[2Jb", requestId: "r\u0007" })).text,
      "vps: a?[2Jb\nvps: Request ID: r?\n"
    )
  })
  it("is one JSON document for programs, with the field names of the API", () => {
    assert.deepStrictEqual(JSON.parse(report(response(429, { retryAfter: 3 })).document), {
      error: {
        name: "RateLimitError",
        message: "the message",
        detail: "the message",
        hint: RESUME,
        exit_code: 1,
        status: 429,
        method: "POST",
        path: "/instances",
        attempts: 1,
        request_id: "r-1",
        retry_after: 3,
        idempotency_key: "k-1"
      }
    })
  })
})

describe("suggestions", () => {
  const plans = ["vps-s", "vps-m", "vps-l", "ded-1"]
  it("come closest first, three at most", () => {
    assert.strictEqual(closest("vps-m", plans)[0], "vps-m")
    assert.deepStrictEqual(closest("VPS-X", plans), ["vps-l", "vps-m", "vps-s"])
    assert.deepStrictEqual(closest("ded", plans), ["ded-1"])
    assert.deepStrictEqual(closest("", plans), [])
  })
  it("are only the name that differs in case or punctuation", () => {
    assert.deepStrictEqual(closest("Debian13", ["debian-12", "debian-13", "debian-1"]), ["debian-13"])
    assert.strictEqual(didYouMean("VPS_S", plans), "Did you mean vps-s?")
  })
  it("are all names when none is similar", () => {
    assert.strictEqual(didYouMean("zzzzzz", plans), "Available: vps-s, vps-m, vps-l, ded-1.")
    assert.strictEqual(didYouMean("ded", plans), "Did you mean ded-1?")
    assert.strictEqual(didYouMean("x", []), "None exist.")
  })
})

describe("a refused key", () => {
  const hintOf = (status: number, context: string | undefined, more: object = {}) =>
    reportFailure(response(status, { idempotencyKey: undefined, ...more }), { colors: false }, { origin: { context } })
      .text.split("\n")[1]

  it("names its origin, and how to replace it", () => {
    assert.strictEqual(
      hintOf(401, undefined),
      "vps: The key is from VPS_API_KEY. Set it to a valid key, or unset it to use a saved context."
    )
    assert.strictEqual(
      hintOf(401, "staging"),
      "vps: The key is from context \"staging\". Log in with a valid key: vps login --context staging"
    )
    assert.include(
      hintOf(403, "staging", { missingScope: "vps:write" }),
      "Log in with a key that has the vps:write scope: vps login --context staging"
    )
  })
})
