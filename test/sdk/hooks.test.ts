/** Hooks and loggers receive every attempt and no secrets, and change nothing. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ClientOptions, Hooks, Logger } from "#sdk/client/options/Options"
import { failureOf, fixedRandom, script, settle, type Step } from "./support/scripted.ts"

const ok: Step = { status: 200, headers: { "x-request-id": "r1" }, body: { id: 7 } }
const busy: Step = { status: 503, headers: { "x-request-id": "r0" }, body: { detail: "draining key-1" } }

/** Records the events of the hooks, in order. */
const recorder = () => {
  const events: Array<readonly [string, object]> = []
  const hooks: Hooks = {
    beforeRequest: (event) => events.push(["before", event]),
    afterResponse: ({ error, ...event }) => events.push(["after", { ...event, error: error?._tag }]),
    onRetry: ({ error, ...event }) => events.push(["retry", { ...event, error: error._tag }])
  }
  return { events, hooks }
}

const written = () => {
  const lines: Array<string> = []
  const write = (level: string) => (message: string, fields: object) =>
    lines.push(`${level} ${message} ${JSON.stringify(fields)}`)
  const logger: Logger = { debug: write("debug"), warn: write("warn") }
  return { lines, logger }
}

const get = (steps: ReadonlyArray<Step>, options: ClientOptions) => {
  const server = script(steps, options, 20)
  return Effect.flatten(settle(server.client.instances.get(7))).pipe(fixedRandom(1))
}

describe("hooks", () => {
  it.effect("receive each attempt, its result, and each retry", () =>
    Effect.gen(function*() {
      const { hooks, events } = recorder()
      yield* get([busy, "lost", ok], { hooks })
      const about = { method: "GET", path: "/instances/7", idempotencyKey: undefined }
      const lost = { status: undefined, requestId: undefined, error: "ConnectionError" }
      assert.deepStrictEqual(events, [
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

  it.effect("receive the key of a purchase", () =>
    Effect.gen(function*() {
      const { hooks, events } = recorder()
      const server = script([{ status: 201, body: { id: 7 } }], { hooks })
      yield* server.client.instances.create({ service_id: 1 }, { idempotencyKey: "web-1" })
      assert.deepInclude(events[0]?.[1], { method: "POST", path: "/instances", idempotencyKey: "web-1" })
    }))

  it.effect("receive no retry event without a retry", () =>
    Effect.gen(function*() {
      const { hooks, events } = recorder()
      yield* failureOf(script([busy], { hooks }).client.instances.get(7, { maxRetries: 0 }))
      assert.deepStrictEqual(events.map(([name]) => name), ["before", "after"])
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

  it.live("is a process warning and does not affect the call", () =>
    Effect.gen(function*() {
      process.on("warning", note)
      const fail = () => {
        throw new Error("a bug of the caller's")
      }
      const server = script([ok], { hooks: { beforeRequest: fail, afterResponse: fail } })
      const { data } = yield* server.client.instances.get(7)
      assert.deepStrictEqual([data.id, server.sent.length], [7, 1])
      // Node emits warnings after the running code.
      yield* Effect.promise(() => new Promise(setImmediate))
      assert.deepStrictEqual(warnings.map(({ message, name }) => [name, message]), [
        ["VpsHookWarning", "A hook or logger threw: Error: a bug of the caller's"],
        ["VpsHookWarning", "A hook or logger threw: Error: a bug of the caller's"]
      ])
    }))
})

describe("a logger", () => {
  it.effect("receives each attempt at debug and each retry at warn", () =>
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

  it.effect("receives no API key, password or body", () =>
    Effect.gen(function*() {
      const { lines, logger } = written()
      const secret = "hunter2-hunter2"
      const echo: Step = { status: 503, body: { detail: `bad password ${secret} of key-1` } }
      const server = script([echo, { status: 201, body: { id: 7, root_password: secret } }], { logger })
      yield* Effect.flatten(settle(server.client.instances.create({ service_id: 1, root_password: secret })))
      const reset = script([{ status: 200, body: { password: secret } }], { logger })
      yield* reset.client.instances.resetPassword(7)
      assert.isAbove(lines.length, 6)
      assert.notInclude(lines.join("\n"), secret)
      assert.notInclude(lines.join("\n"), "key-1")
    }))
})
