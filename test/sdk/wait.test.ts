/** Waits for a deployment: polling intervals, timeouts, and errors that allow to resume. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { WaitProgress } from "#sdk/client/options/Options"
import { failureOf, fixedRandom, script, settle, type Step } from "./support/scripted.ts"

const instance = (status: string, deployed = false) => ({
  id: 7,
  status,
  provider_id: deployed ? "sim-7" : null,
  ipv4: deployed ? "10.0.0.7" : null
})
const created: Step = { status: 201, headers: { "x-request-id": "r-create" }, body: instance("pending") }
const pending: Step = { status: 200, body: instance("pending") }
const running: Step = { status: 200, body: instance("running", true) }
const failed: Step = { status: 200, body: instance("failed") }

const times = (server: ReturnType<typeof script>) => server.sent.map(({ at }) => at)
const key = { idempotencyKey: "key-of-mine" }

describe("waitUntilDeployed", () => {
  it.effect("polls immediately, then after 1 s, growing by half to 10 s", () =>
    Effect.gen(function*() {
      const server = script([...Array.from({ length: 9 }, () => pending), running])
      const { data } = yield* Effect.flatten(settle(server.client.instances.waitUntilDeployed(7)))
      assert.strictEqual(data.ipv4, "10.0.0.7")
      const gaps = times(server).map((at, index, all) => at - (all[index - 1] ?? 0))
      assert.deepStrictEqual(gaps.map(Math.floor), [0, 1000, 1500, 2250, 3375, 5062, 7593, 10_000, 10_000, 10_000])
    }))

  it.effect("needs both provider_id and ipv4, in any status", () =>
    Effect.gen(function*() {
      const half = { ...instance("running"), provider_id: "sim-7" }
      const server = script([{ status: 200, body: half }, { status: 200, body: instance("brewing") }, running])
      yield* Effect.flatten(settle(server.client.instances.waitUntilDeployed(7)))
      assert.strictEqual(server.sent.length, 3)
    }))

  it.effect("reports every poll", () =>
    Effect.gen(function*() {
      const seen: Array<readonly [string, number, number]> = []
      const onProgress = ({ elapsed, instance, polls }: WaitProgress) => seen.push([instance.status, polls, elapsed])
      const server = script([pending, pending, running])
      yield* Effect.flatten(settle(server.client.instances.waitUntilDeployed(7, { onProgress })))
      assert.deepStrictEqual(seen, [["pending", 1, 0], ["pending", 2, 1000], ["running", 3, 2500]])
    }))

  it.effect("times out after 10 minutes", () =>
    Effect.gen(function*() {
      const server = script([pending])
      const error = yield* failureOf(server.client.instances.waitUntilDeployed(7))
      assert(error._tag === "WaitTimeoutError")
      assert.deepStrictEqual([error.instanceId, error.waitTimeout, error.instance?.status], [7, 600_000, "pending"])
      assert.isAtMost(Math.max(...times(server)), 600_000)
    }))

  it.effect.each([[running, "running"], [pending, "WaitTimeoutError"]] as const)(
    "looks once more if the computer slept past waitTimeout: %j ends it with %s",
    ([last, outcome]) =>
      Effect.gen(function*() {
        const clock = yield* Clock.Clock
        const server = script([pending, "silent", "stale", last])
        // The first poll is made, then the computer sleeps for an hour during the second.
        const slept = Effect.map(
          clock.monotonicTimeNanos,
          (now) => server.sent.length < 2 ? now : now + 3_600_000_000_000n
        )
        const waiting = server.client.instances.waitUntilDeployed(7, { waitTimeout: 5000 }).pipe(
          Effect.provideService(Clock.Clock, { ...clock, monotonicTimeNanos: slept }),
          fixedRandom(0)
        )
        const ended = yield* Effect.flatten(settle(Effect.result(waiting)))
        assert.strictEqual(ended._tag === "Success" ? ended.success.data.status : ended.failure._tag, outcome)
        assert.strictEqual(server.sent.length, 4)
      })
  )

  it.effect("times out after waitTimeout, even during a poll", () =>
    Effect.gen(function*() {
      const server = script(["silent"])
      const error = yield* failureOf(server.client.instances.waitUntilDeployed(7, { waitTimeout: 5000 }))
      assert.strictEqual(error._tag, "WaitTimeoutError")
      assert.include(error.message, "status unknown")
    }))

  it.effect("survives a server that is briefly unavailable", () =>
    Effect.gen(function*() {
      const server = script([pending, ...Array.from({ length: 12 }, (): Step => "refused"), running])
      const { data } = yield* Effect.flatten(settle(server.client.instances.waitUntilDeployed(7)))
      assert.strictEqual(data.ipv4, "10.0.0.7")
    }))

  it.effect("times out with the last error if the server stays unavailable", () =>
    Effect.gen(function*() {
      const server = script([pending, "refused"])
      const error = yield* failureOf(server.client.instances.waitUntilDeployed(7, { waitTimeout: 30_000 }))
      assert.strictEqual(error._tag, "WaitTimeoutError")
      assert.match(String(error.cause), /ECONNREFUSED/)
    }))

  it.effect("honors Retry-After, even if it is longer than a retry would wait", () =>
    Effect.gen(function*() {
      const limited: Step = { status: 429, headers: { "retry-after": "90" }, body: { detail: "later" } }
      const server = script([limited, running])
      yield* Effect.flatten(settle(server.client.instances.waitUntilDeployed(7)))
      assert.deepStrictEqual(times(server), [0, 90_000])
    }))

  it.effect.each(["failed", "deleted"])("fails if the instance is %s", (status) =>
    Effect.gen(function*() {
      const server = script([pending, { status: 200, body: instance(status) }])
      const error = yield* failureOf(server.client.instances.waitUntilDeployed(7))
      assert(error._tag === "ProvisioningFailedError")
      assert.deepStrictEqual([error.status, error.instanceId], [status, 7])
      assert.match(error.message, status === "failed" ? /charge was refunded.*new idempotency key/ : /is deleted/)
    }))

  it.effect.each([[401, "UnauthorizedError"], [404, "NotFoundError"]] as const)(
    "fails with a %i",
    ([status, tag]) =>
      Effect.gen(function*() {
        const server = script([pending, { status, body: { detail: "no" } }])
        const error = yield* failureOf(server.client.instances.waitUntilDeployed(7))
        assert.deepStrictEqual([error._tag, error.instanceId], [tag, 7])
      })
  )

  it.effect("fails with the exception of onProgress as the cause", () =>
    Effect.gen(function*() {
      const server = script([pending])
      const mistake = new Error("a bug of the caller's")
      const onProgress = () => {
        throw mistake
      }
      const error = yield* failureOf(server.client.instances.waitUntilDeployed(7, { onProgress }))
      assert.deepStrictEqual([error._tag, error.cause, error.instanceId], ["CallbackError", mistake, 7])
    }))

  it.effect("is aborted by its signal, even between two polls", () =>
    Effect.gen(function*() {
      const server = script([pending])
      const controller = new AbortController()
      const wait = server.client.instances.waitUntilDeployed(7, { signal: controller.signal })
      const fiber = yield* Effect.forkChild(Effect.flip(wait))
      yield* TestClock.adjust("1500 millis")
      controller.abort(new Error("enough"))
      const error = yield* Fiber.join(fiber)
      assert(error._tag === "AbortError")
      assert.deepStrictEqual([error.instanceId, error.instance?.status, String(error.cause)], [
        7,
        "pending",
        "Error: enough"
      ])
      assert.deepStrictEqual(times(server), [0, 1000])
    }))

  it.effect.each([0, -1, Number.NaN, Infinity, 2 ** 31])(
    "rejects a waitTimeout of %d",
    (waitTimeout) =>
      Effect.gen(function*() {
        const server = script([running])
        const error = yield* failureOf(server.client.instances.waitUntilDeployed(7, { waitTimeout }))
        assert.deepStrictEqual([error._tag, server.sent.length], ["ArgumentError", 0])
      })
  )
})

describe("createAndWait", () => {
  it.effect("buys, waits, and returns the response of the create", () =>
    Effect.gen(function*() {
      const server = script([created, pending, running])
      const answer = yield* Effect.flatten(settle(server.client.instances.createAndWait({ service_id: 1 }, key)))
      assert.strictEqual(answer.data.ipv4, "10.0.0.7")
      assert.deepStrictEqual([answer.response.status, answer.response.requestId, answer.response.idempotencyKey], [
        201,
        "r-create",
        "key-of-mine"
      ])
      assert.deepStrictEqual(server.sent.map(({ request }) => `${request.operation.method} ${request.path}`), [
        "POST /instances",
        "GET /instances/7",
        "GET /instances/7"
      ])
    }))

  it.effect("does not poll if the create returns a deployed instance, like a replay", () =>
    Effect.gen(function*() {
      const server = script([{ status: 201, body: instance("running", true) }])
      yield* Effect.flatten(settle(server.client.instances.createAndWait({ service_id: 1 })))
      assert.strictEqual(server.sent.length, 1)
    }))

  it.effect("fails if a replayed instance is deleted", () =>
    Effect.gen(function*() {
      const server = script([{ status: 201, body: instance("deleted") }])
      const error = yield* failureOf(server.client.instances.createAndWait({ service_id: 1 }, key))
      assert.deepStrictEqual([error._tag, error.idempotencyKey, error.instanceId], [
        "ProvisioningFailedError",
        "key-of-mine",
        7
      ])
    }))

  const endings: ReadonlyArray<readonly [string, Step]> = [
    ["WaitTimeoutError", pending],
    ["WaitTimeoutError", "lost"],
    ["ProvisioningFailedError", failed],
    ["NotFoundError", { status: 404, body: { detail: "no" } }],
    ["DecodeError", { status: 200, text: "<html>" }]
  ]
  it.effect.each(endings)(
    "after the purchase, %s carries the instance and the key",
    ([tag, step]) =>
      Effect.gen(function*() {
        const server = script([created, pending, step])
        const error = yield* failureOf(server.client.instances.createAndWait({ service_id: 1 }).pipe(fixedRandom(0)))
        assert.deepStrictEqual([error._tag, error.instanceId, error.instance?.id], [tag, 7, 7])
        assert.strictEqual(error.idempotencyKey, server.keys()[0])
        assert.deepInclude(error.toJSON(), { _tag: tag, instanceId: 7, idempotencyKey: server.keys()[0] })
        assert.notProperty(error.toJSON(), "instance", "not in a log line")
      })
  )

  it.effect("an abort during the create has the key and reports that it may have bought", () =>
    Effect.gen(function*() {
      const server = script(["silent"])
      const controller = new AbortController()
      const call = server.client.instances.createAndWait({ service_id: 1 }, { signal: controller.signal })
      const fiber = yield* Effect.forkChild(Effect.flip(call))
      yield* TestClock.adjust("1 second")
      controller.abort()
      const error = yield* Fiber.join(fiber)
      assert(error._tag === "AbortError")
      assert.deepStrictEqual([error.responseLost, error.idempotencyKey, error.instanceId], [
        true,
        server.keys()[0],
        undefined
      ])
    }))

  it.effect("checks waitTimeout before it buys", () =>
    Effect.gen(function*() {
      const server = script([created])
      const error = yield* failureOf(server.client.instances.createAndWait({ service_id: 1 }, { waitTimeout: 0 }))
      assert.deepStrictEqual([error._tag, server.sent.length], ["ArgumentError", 0])
    }))
})
