/** Hooks and the log: they see every attempt, no secret, and change nothing. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Hooks, Logger } from "#sdk/client/options/Hooks"
import type { ClientOptions } from "#sdk/client/options/Options"
import { chance, failureOf, script, settle, type Step } from "./support/scripted.ts"

const ok: Step = { status: 200, headers: { "x-request-id": "r1" }, body: { id: 7 } }
const busy: Step = { status: 503, headers: { "x-request-id": "r0" }, body: { detail: "draining key-1" } }

/** Notes what the hooks are told, in order. */
const watched = () => {
  const told: Array<readonly [string, object]> = []
  const hooks: Hooks = {
    beforeRequest: (event) => told.push(["before", event]),
    afterResponse: ({ error, ...event }) => told.push(["after", { ...event, error: error?._tag }]),
    onRetry: ({ error, ...event }) => told.push(["retry", { ...event, error: error._tag }])
  }
  return { told, hooks }
}

const written = () => {
  const lines: Array<string> = []
  const write = (level: string) => (message: string, fields: object) =>
    lines.push(`${level} ${message} ${JSON.stringify(fields)}`)
  const logger: Logger = { debug: write("debug"), warn: write("warn") }
  return { lines, logger }
}

const get = (steps: ReadonlyArray<Step>, options: ClientOptions) => {
  const host = script(steps, options, 20)
  return Effect.flatten(settle(host.core.instances.get(7))).pipe(chance(1))
}

describe("hooks", () => {
  it.effect("are told of each attempt, how it ended, and of each retry", () =>
    Effect.gen(function*() {
      const { hooks, told } = watched()
      yield* get([busy, "lost", ok], { hooks })
      const about = { method: "GET", path: "/instances/7", idempotencyKey: undefined }
      const lost = { status: undefined, requestId: undefined, error: "ConnectionError" }
      assert.deepStrictEqual(told, [
        ["before", { ...about, attempt: 1 }],
        ["after", {
          ...about,
          attempt: 1,
          elapsed: 20,
          status: 503,
          requestId: "r0",
          error: "ServiceUnavailableError"
        }],
        ["retry", { ...about, attempt: 1, delay: 500, error: "ServiceUnavailableError" }],
        ["before", { ...about, attempt: 2 }],
        ["after", { ...about, attempt: 2, elapsed: 20, ...lost }],
        ["retry", { ...about, attempt: 2, delay: 1000, error: "ConnectionError" }],
        ["before", { ...about, attempt: 3 }],
        ["after", { ...about, attempt: 3, elapsed: 20, status: 200, requestId: "r1", error: undefined }]
      ])
    }))

  it.effect("see the key of a purchase", () =>
    Effect.gen(function*() {
      const { hooks, told } = watched()
      const host = script([{ status: 201, body: { id: 7 } }], { hooks })
      yield* host.core.instances.create({ service_id: 1 }, { idempotencyKey: "web-1" })
      assert.deepInclude(told[0]?.[1], { method: "POST", path: "/instances", idempotencyKey: "web-1" })
    }))

  it.effect("are not told of a retry that does not come", () =>
    Effect.gen(function*() {
      const { hooks, told } = watched()
      yield* failureOf(script([busy], { hooks }).core.instances.get(7, { maxRetries: 0 }))
      assert.deepStrictEqual(told.map(([name]) => name), ["before", "after"])
    }))
})

describe("a hook that throws", () => {
  const warnings: Array<Error> = []
  const note = (warning: Error) => {
    warnings.push(warning)
  }
  afterEach(() => {
    process.off("warning", note)
    warnings.length = 0
  })

  it.live("is a warning of the process, and the call answers as it would", () =>
    Effect.gen(function*() {
      process.on("warning", note)
      const fail = () => {
        throw new Error("a bug of the caller's")
      }
      const host = script([ok], { hooks: { beforeRequest: fail, afterResponse: fail } })
      const { data } = yield* host.core.instances.get(7)
      assert.deepStrictEqual([data.id, host.sent.length], [7, 1])
      // Node tells of warnings after the code that is running.
      yield* Effect.promise(() => new Promise(setImmediate))
      assert.deepStrictEqual(warnings.map(({ message, name }) => [name, message]), [
        ["VpsHookWarning", "A hook or logger threw: Error: a bug of the caller's"],
        ["VpsHookWarning", "A hook or logger threw: Error: a bug of the caller's"]
      ])
    }))
})

describe("a logger", () => {
  it.effect("gets each attempt at debug and each retry at warn", () =>
    Effect.gen(function*() {
      const { lines, logger } = written()
      yield* get([busy, ok], { logger })
      assert.deepStrictEqual(lines.map((line) => line.replace(/ \{.*$/, "")), [
        "debug GET /instances/7: attempt 1",
        "debug GET /instances/7: status 503 after 20 ms",
        "warn 503 GET /instances/7: draining [redacted] (request id r0); retrying in 500 ms",
        "debug GET /instances/7: attempt 2",
        "debug GET /instances/7: status 200 after 20 ms"
      ])
    }))

  it.effect("never holds an API key, a password, or a body", () =>
    Effect.gen(function*() {
      const { lines, logger } = written()
      const secret = "hunter2-hunter2"
      const echo: Step = { status: 503, body: { detail: `bad password ${secret} of key-1` } }
      const host = script([echo, { status: 201, body: { id: 7, root_password: secret } }], { logger })
      yield* Effect.flatten(settle(host.core.instances.create({ service_id: 1, root_password: secret })))
      const reset = script([{ status: 200, body: { password: secret } }], { logger })
      yield* reset.core.instances.resetPassword(7)
      assert.isAbove(lines.length, 6)
      assert.notInclude(lines.join("\n"), secret)
      assert.notInclude(lines.join("\n"), "key-1")
    }))

  it("may be the console", () => {
    const logger: Logger = console
    assert.isFunction(logger.debug)
  })
})
