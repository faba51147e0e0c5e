/** What `vps` says about failures, and what the shell hears of them. */
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
import { EXIT, EXIT_CODES } from "#sdk/cli/ExitCode"
import { explain, type Failure } from "#sdk/cli/Explain"
import { misused } from "#sdk/cli/Refusal"
import { closest, didYouMean } from "#sdk/cli/Suggest"

const create = { method: "POST", path: "/instances", attempts: 1, idempotencyKey: "k-1", requestId: "r-1" }
const answered = (status: number, more: object = {}) =>
  apiError({
    ...create,
    status,
    detail: "the host's words",
    retryAfter: undefined,
    headers: {},
    missingScope: undefined,
    issues: [],
    ...more
  })
const said = (error: Failure) => explain(error, { colours: false })
const RESUME = "The same command with --idempotency-key k-1 goes on from here and never buys twice."

describe("exit codes", () => {
  it.each([
    [answered(400), EXIT.failed],
    [answered(401), EXIT.auth],
    [answered(402), EXIT.funds],
    [answered(403), EXIT.auth],
    [answered(404), EXIT.notFound],
    [answered(409), EXIT.failed],
    [answered(422), EXIT.failed],
    [answered(429), EXIT.failed],
    [answered(503), EXIT.failed],
    [new ConfigurationError("no"), EXIT.usage],
    [new DecodeError(200, "no", create), EXIT.failed],
    [new ProvisioningFailedError(7, "failed", {}), EXIT.failed],
    [misused("no"), EXIT.usage]
  ])("%s is told as its code", (error, exit) => expect(said(error).exit).toBe(exit))
  it("each is documented", () => {
    expect(EXIT_CODES.map(([code]) => code).toSorted()).toEqual(Object.values(EXIT).toSorted())
  })
})

describe("a purchase", () => {
  it.each([
    [answered(503)],
    [answered(429, { retryAfter: 3 })],
    [new ConnectionError("reset", "ECONNRESET", true, create)],
    [new TimeoutError(1, true, create)],
    [new DecodeError(201, "no id", create)]
  ])("that is open after %s tells the key to go on with", (error) => expect(said(error).text).toContain(RESUME))
  it.each([[answered(402)], [answered(404)], [answered(403)], [answered(422)]])(
    "that was refused with %s is over",
    (error) => expect(said(error).text).not.toContain("k-1")
  )
  it("that is made tells the instance and the key", () => {
    expect(said(withInstance(answered(500), 7, undefined, "k-1")).text)
      .toContain("Instance 7 is bought (idempotency key k-1): vps instance get 7\n")
  })
})

describe("what is said", () => {
  it("is what happened, what to do, and the request's id, each in a line of its own", () => {
    expect(said(answered(403, { missingScope: "vps:write" })).text).toBe(
      "vps: the host's words\nvps: Log in with a key that has the scope vps:write: vps login\nvps: Request id r-1\n"
    )
    expect(said(answered(409, { retryAfter: 4, idempotencyKey: undefined })).text)
      .toContain("vps: It is busy: try again in 4 s.\n")
  })
  it("names each wrong field", () => {
    const issues = [{ loc: ["body", "hostname"], msg: "too long", type: "x" }, { loc: ["query"], msg: "no", type: "x" }]
    expect(said(answered(422, { issues })).text).toMatch(/^vps: hostname: too long\nvps: query: no\nvps: Request/)
  })
  it("says how to go on after a wait that took too long", () => {
    const late = withInstance(
      new WaitTimeoutError({ id: 7, wanted: "idle", resume: "x", status: "running", waitTimeout: 2_000 }, {}),
      7
    )
    expect(said(late)).toMatchObject({
      exit: EXIT.late,
      text: "vps: Instance 7 took longer than 2 s.\nvps: It goes on by itself. Wait on: vps instance wait 7\n"
    })
  })
  it("holds nothing that a terminal would obey", () => {
    expect(said(answered(404, { detail: "a\u001b[2Jb", requestId: "r\u0007" })).text)
      .toBe("vps: a?[2Jb\nvps: Request id r?\n")
  })
  it("is one document for programs, in the words of the wire", () => {
    expect(JSON.parse(said(answered(429, { retryAfter: 3 })).document)).toEqual({
      error: {
        name: "RateLimitError",
        message: "the host's words",
        detail: "the host's words",
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
  it("are all there is when nothing comes close", () => {
    expect(didYouMean("zzzzzz", plans)).toBe("There are: vps-s, vps-m, vps-l, ded-1.")
    expect(didYouMean("ded", plans)).toBe("Did you mean ded-1?")
    expect(didYouMean("x", [])).toBe("There are none.")
  })
})
