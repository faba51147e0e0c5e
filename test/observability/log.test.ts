/** One JSON line per request on standard error; standard output holds the ready line only. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startService, startServiceWith } from "../support/serviceProcess.ts"

const service = (...flags: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.promise(() => startService("--emulator", ...flags)),
    ({ end }) => Effect.promise(() => end())
  )

it.live("a request's line has the account, the operation, the ID, and the result, and no secret", () =>
  Effect.gen(function*() {
    const { apiKey, end, log, origin, url } = yield* service("--request-log=true", "--trusted-proxies=127.0.0.1")
    const headers = {
      authorization: `Bearer ${apiKey}`,
      "x-request-id": "r-log",
      "x-forwarded-for": "198.51.100.7",
      "idempotency-key": "a-key-that-nobody-may-see",
      "content-type": "application/json"
    }
    const body = JSON.stringify({ service_id: 1, root_password: "correct-horse" })
    yield* Effect.promise(() => fetch(`${url}/instances?x=1`, { method: "POST", headers, body }))
    yield* Effect.promise(() => fetch(`${origin}/livez`))
    yield* Effect.promise(() => end())
    const lines = log().trimEnd().split("\n").map((line) => JSON.parse(line)).filter(({ message }) =>
      message === "request"
    )
    assert.deepInclude(lines[0], {
      level: "INFO",
      request_id: "r-log",
      client: "198.51.100.7",
      method: "POST",
      url: "/api/v1/instances?x=REDACTED",
      status: 422
    })
    assert.deepInclude(lines[1], { client: "127.0.0.1", url: "/livez", status: 200 })
    for (const secret of [apiKey, "correct-horse", "a-key-that-nobody-may-see"]) assert.notInclude(log(), secret)
  }).pipe(Effect.scoped))

it.live("a warning of Node is a line of the log like any other", () =>
  Effect.gen(function*() {
    const node = ["--import", "data:text/javascript,process.on('SIGUSR2', () => process.emitWarning('careful'))"]
    const { end, log, pid } = yield* Effect.promise(() => startServiceWith({ node }, ["--emulator"]))
    process.kill(pid, "SIGUSR2")
    while (!log().includes("careful")) yield* Effect.sleep("5 millis")
    yield* Effect.promise(() => end())
    const lines = log().trimEnd().split("\n").map((line) => JSON.parse(line))
    const warning = lines.find(({ level }) => level === "WARN")
    assert.deepInclude(warning, { message: "careful", warning: "Warning" })
  }))

it.live("no line is written when the log is off", () =>
  Effect.gen(function*() {
    const { end, log, origin } = yield* service()
    yield* Effect.promise(() => fetch(`${origin}/livez`))
    yield* Effect.promise(() => end())
    assert.notInclude(log(), "/livez")
  }).pipe(Effect.scoped))
