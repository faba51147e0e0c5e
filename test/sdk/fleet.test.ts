/** Many concurrent waits share one polling loop, and each ends when its instance is ready. */
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { WaitOptions } from "#sdk/client/options/Options"
import { script, type Sent, settle, type Step } from "./support/scripted.ts"

const COUNT = 1000
const REQUESTS_PER_SECOND = 50
/** Milliseconds per response. */
const LATENCY = 20
/** The maximum interval between two polls in milliseconds. */
const CAP = 10_000

const ids = Array.from({ length: COUNT }, (_, index) => index + 1)
/** The time in milliseconds at which each is ready: between 30 and 90 s. */
const readyAt = (id: number) => 30_000 + (id * 7919) % 60_000

const record = (id: number, at: number) =>
  at < readyAt(id)
    ? { id, status: "provisioning", provider_id: null, ipv4: null }
    : { id, status: "running", provider_id: `sim-${id}`, ipv4: "10.0.0.1" }

/** A server of 1,000 instances that returns `listed` of them in a list. */
const fleet = (listed: number) => ({ at, request }: Sent): Step => {
  const [, id, status] = /^\/instances\/(\d+)(\/status)?$/.exec(request.path) ?? []
  if (id === undefined) return { status: 200, body: ids.slice(0, listed).map((one) => record(one, at)) }
  const body = record(Number(id), at)
  return { status: 200, body: status === undefined ? body : { ...body, task: null } }
}

type Server = ReturnType<typeof script>

/** The maximum number of requests in any second. */
const busiest = ({ sent }: Server): number =>
  Math.max(
    ...sent.map(({ at }, index) => sent.slice(index).findIndex((other) => other.at >= at + 1000)).map((count) =>
      count === -1 ? 0 : count
    )
  )

const lists = ({ sent }: Server) => sent.filter(({ request }) => request.path === "/instances").length

/** The time in milliseconds at which each wait ended. */
const endsOf = <E>(wait: (id: number) => Effect.Effect<unknown, E>, apart = 0) =>
  Effect.forEach(
    ids,
    (id) => Effect.delay(wait(id), id * apart).pipe(Effect.andThen(Clock.currentTimeMillis)),
    { concurrency: "unbounded" }
  )

const assertRate = (server: Server) => {
  assert.isAtMost(busiest(server), REQUESTS_PER_SECOND)
  assert.isAbove(server.sent.length, 1)
}

describe("1,000 waits", () => {
  it.effect("for deployment need few list requests, and end when the instances are ready", () =>
    Effect.gen(function*() {
      const server = script(fleet(COUNT), {}, LATENCY)
      const ends = yield* Effect.flatten(settle(endsOf((id) => server.client.instances.waitUntilDeployed(id))))
      assertRate(server)
      for (const [index, end] of ends.entries()) {
        assert.isAtLeast(end, readyAt(ids[index]!))
        assert.isAtMost(end, readyAt(ids[index]!) + CAP + 2 * LATENCY)
      }
      assert.isAtMost(server.sent.length, 25, "for all 1,000 together")
      const count = server.sent.length
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(server.sent.length, count, "no requests without waits")
    }))

  it.effect("for idle poll the tasks of settled instances only", () =>
    Effect.gen(function*() {
      const server = script(fleet(COUNT), {}, LATENCY)
      yield* Effect.flatten(settle(endsOf((id) => server.client.instances.waitUntilIdle(id))))
      assertRate(server)
      assert.strictEqual(server.sent.length - lists(server), COUNT, "one poll each")
    }))

  it.effect("with headers of their own poll one by one", () =>
    Effect.gen(function*() {
      const server = script(fleet(COUNT), {}, LATENCY)
      const options: WaitOptions = { headers: { "x-request-id": "mine" } }
      yield* Effect.flatten(settle(endsOf((id) => server.client.instances.waitUntilDeployed(id, options))))
      assertRate(server)
      assert.strictEqual(lists(server), 0)
      assert.isTrue(server.sent.every(({ request }) => request.headers["x-request-id"] === "mine"))
    }))

  it.effect("survive an unavailable server and honor its Retry-After", () =>
    Effect.gen(function*() {
      const away: Step = { status: 503, headers: { "retry-after": "30" }, body: { detail: "draining" } }
      const server = script((sent) => sent.at < 40_000 ? away : fleet(COUNT)(sent), {}, LATENCY)
      yield* Effect.flatten(settle(endsOf((id) => server.client.instances.waitUntilDeployed(id))))
      assertRate(server)
      assert.deepStrictEqual(server.sent.slice(0, 3).map(({ at }) => Math.floor(at / 1000)), [0, 30, 60])
    }))
})

describe("a shared list", () => {
  it.effect("does not serve a wait that began after it", () =>
    Effect.gen(function*() {
      const stopped = { id: 1, status: "running" }
      // The list takes 20 ms; at 10 ms the fifth begins to wait for what it would have shown.
      const server = script(
        ({ at, request }) => {
          const body = { ...stopped, status: at < 10 ? "running" : "stopping" }
          return { status: 200, body: request.path === "/instances" ? [body] : at < 60_000 ? body : stopped }
        },
        {},
        LATENCY
      )
      const running = server.client.instances.waitUntil(1, ({ status }) => status === "running")
      const never = server.client.instances.waitUntil(1, () => false, { waitTimeout: 300_000 })
      const others = yield* Effect.forkChild(Effect.all([never, never, never, never], { concurrency: "unbounded" }))
      const late = Effect.andThen(Effect.delay(running, 10), Clock.currentTimeMillis)
      assert.isAbove(yield* Effect.flatten(settle(late)), 60_000)
      yield* Fiber.interrupt(others)
    }))

  it.effect("with records that break the client ends all waits", () =>
    Effect.gen(function*() {
      const server = script([{ status: 200, body: [null] }], {}, LATENCY)
      const wait = server.client.instances.waitUntilDeployed(1)
      const exits = yield* Effect.flatten(
        settle(Effect.all([wait, wait, wait, wait].map(Effect.exit), { concurrency: "unbounded" }))
      )
      assert.isTrue(exits.every((exit) => exit._tag === "Failure" && Cause.hasDies(exit.cause)))
      assert.strictEqual(server.sent.length, 1)
    }))
})

describe("a few waits", () => {
  it.effect("poll one by one: the list of a large account is expensive", () =>
    Effect.gen(function*() {
      const server = script(fleet(COUNT), {}, LATENCY)
      const wait = (id: number) => server.client.instances.waitUntilDeployed(id)
      yield* Effect.flatten(settle(Effect.all([wait(1), wait(2), wait(3)], { concurrency: "unbounded" })))
      assert.strictEqual(lists(server), 0)
      assert.deepStrictEqual(server.sent.slice(0, 3).map(({ at }) => at), [0, 0, 0])
    }))
})
