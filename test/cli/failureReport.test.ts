/** `vps` reports failures with a solution and an exit code. */
import { describe, expect, it } from "vitest"
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
  ])("%s has its exit code", (error, exit) => expect(report(error).exit).toBe(exit))
  it("are all documented", () => {
    expect(EXIT_CODES.map(([code]) => code).toSorted()).toEqual(Object.values(EXIT).toSorted())
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
    (error) => expect(report(error).text).toContain(RESUME)
  )
  it.each([[response(402)], [response(404)], [response(403)], [response(422)]])(
    "that was rejected with %s is not resumed",
    (error) => expect(report(error).text).not.toContain("k-1")
  )
  it("that was made names the instance and the key", () => {
    expect(report(withInstance(response(500), 7, undefined, "k-1")).text)
      .toContain("Instance 7 was bought (idempotency key k-1). See it: vps instance get 7\n")
  })
})

describe("a report", () => {
  it("has a line each for the problem, the solution, and the request ID", () => {
    expect(report(response(403, { missingScope: "vps:write" })).text).toBe(
      "vps: the message\nvps: Log in with a key that has the vps:write scope: vps login\nvps: Request ID: r-1\n"
    )
    expect(report(response(409, { retryAfter: 4, idempotencyKey: undefined })).text)
      .toContain("vps: Try again in 4 s.\n")
  })
  it("names each wrong field", () => {
    const issues = [{ loc: ["body", "hostname"], msg: "too long", type: "x" }, { loc: ["query"], msg: "no", type: "x" }]
    expect(report(response(422, { issues })).text).toMatch(/^vps: hostname: too long\nvps: query: no\nvps: Request/)
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
    expect(text).toContain(`vps: ${field}: ${plain}\n`)
    expect(JSON.parse(document).error).toMatchObject({
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
    expect(report(late)).toMatchObject({
      exit: EXIT.timeout,
      text:
        "vps: Instance 7 was not ready after 2 s.\nvps: The operation continues. To keep waiting: vps instance wait 7\n"
    })
  })
  it("replaces control characters", () => {
    expect(report(response(404, { detail: "a\u001b[2Jb", requestId: "r\u0007" })).text)
      .toBe("vps: a?[2Jb\nvps: Request ID: r?\n")
  })
  it("is one JSON document for programs, with the field names of the API", () => {
    expect(JSON.parse(report(response(429, { retryAfter: 3 })).document)).toEqual({
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
    expect(closest("vps-m", plans)[0]).toBe("vps-m")
    expect(closest("VPS-X", plans)).toEqual(["vps-l", "vps-m", "vps-s"])
    expect(closest("ded", plans)).toEqual(["ded-1"])
    expect(closest("", plans)).toEqual([])
  })
  it("are only the name that differs in case or punctuation", () => {
    expect(closest("Debian13", ["debian-12", "debian-13", "debian-1"])).toEqual(["debian-13"])
    expect(didYouMean("VPS_S", plans)).toBe("Did you mean vps-s?")
  })
  it("are all names when none is similar", () => {
    expect(didYouMean("zzzzzz", plans)).toBe("Available: vps-s, vps-m, vps-l, ded-1.")
    expect(didYouMean("ded", plans)).toBe("Did you mean ded-1?")
    expect(didYouMean("x", [])).toBe("None exist.")
  })
})

describe("a refused key", () => {
  const hintOf = (status: number, context: string | undefined, more: object = {}) =>
    reportFailure(response(status, { idempotencyKey: undefined, ...more }), { colors: false }, { origin: { context } })
      .text.split("\n")[1]

  it("names its origin, and how to replace it", () => {
    expect(hintOf(401, undefined))
      .toBe("vps: The key is from VPS_API_KEY. Set it to a valid key, or unset it to use a saved context.")
    expect(hintOf(401, "staging"))
      .toBe("vps: The key is from context \"staging\". Log in with a valid key: vps login --context staging")
    expect(hintOf(403, "staging", { missingScope: "vps:write" }))
      .toContain("Log in with a key that has the vps:write scope: vps login --context staging")
  })
})
