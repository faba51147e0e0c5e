/** Many waits at once: one pace for all of them, and each ends when its instance does. */
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
/** Milliseconds of every answer. */
const LATENCY = 20
/** Milliseconds; the longest pause between two looks. */
const CAP = 10_000

const ids = Array.from({ length: COUNT }, (_, index) => index + 1)
/** Milliseconds at which each is there: between half a minute and a minute and a half. */
const readyAt = (id: number) => 30_000 + (id * 7919) % 60_000

const record = (id: number, at: number) =>
  at < readyAt(id)
    ? { id, status: "provisioning", provider_id: null, ipv4: null }
    : { id, status: "running", provider_id: `sim-${id}`, ipv4: "10.0.0.1" }

/** A host of 1,000 instances that answers `listed` of them when asked for all. */
const fleet = (listed: number) => ({ at, request }: Sent): Step => {
  const [, id, status] = /^\/instances\/(\d+)(\/status)?$/.exec(request.path) ?? []
  if (id === undefined) return { status: 200, body: ids.slice(0, listed).map((one) => record(one, at)) }
  const body = record(Number(id), at)
  return { status: 200, body: status === undefined ? body : { ...body, task: null } }
}

type Host = ReturnType<typeof script>

/** The most requests of any second. */
const busiest = ({ sent }: Host): number =>
  Math.max(
    ...sent.map(({ at }, index) => sent.slice(index).findIndex((other) => other.at >= at + 1000)).map((count) =>
      count === -1 ? 0 : count
    )
  )

const lists = ({ sent }: Host) => sent.filter(({ request }) => request.path === "/instances").length

/** When each of them was told, in milliseconds. */
const told = <E>(wait: (id: number) => Effect.Effect<unknown, E>, apart = 0) =>
  Effect.forEach(
    ids,
    (id) => Effect.delay(wait(id), id * apart).pipe(Effect.andThen(Clock.currentTimeMillis)),
    { concurrency: "unbounded" }
  )

const assertPace = (host: Host) => {
  assert.isAtMost(busiest(host), REQUESTS_PER_SECOND)
  assert.isAbove(host.sent.length, 1)
}

describe("1,000 waits", () => {
  it.effect("for deployment cost a list now and then, and end when the instances do", () =>
    Effect.gen(function*() {
      const host = script(fleet(COUNT), {}, LATENCY)
      const ends = yield* Effect.flatten(settle(told((id) => host.core.instances.waitUntilDeployed(id))))
      assertPace(host)
      for (const [index, end] of ends.entries()) {
        assert.isAtLeast(end, readyAt(ids[index]!))
        assert.isAtMost(end, readyAt(ids[index]!) + CAP + 2 * LATENCY)
      }
      assert.isAtMost(host.sent.length, 25, "for all 1,000 together")
      const count = host.sent.length
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(host.sent.length, count, "nothing is asked for when nobody waits")
    }))

  it.effect("that begin one after the other keep the pace too", () =>
    Effect.gen(function*() {
      const host = script(fleet(COUNT), {}, LATENCY)
      const ends = yield* Effect.flatten(settle(told((id) => host.core.instances.waitUntilDeployed(id), 13)))
      assertPace(host)
      for (const [index, end] of ends.entries()) {
        assert.isAtMost(end, Math.max(readyAt(ids[index]!) + CAP + 1000, ids[index]! * 13 + 1000))
      }
    }))

  it.effect("for idle ask for the tasks of those only that have settled", () =>
    Effect.gen(function*() {
      const host = script(fleet(COUNT), {}, LATENCY)
      yield* Effect.flatten(settle(told((id) => host.core.instances.waitUntilIdle(id))))
      assertPace(host)
      assert.strictEqual(host.sent.length - lists(host), COUNT, "one look each")
    }))

  it.effect("on a host that lists a page of them take turns", () =>
    Effect.gen(function*() {
      const host = script(fleet(50), {}, LATENCY)
      const ends = yield* Effect.flatten(settle(told((id) => host.core.instances.waitUntilDeployed(id))))
      assertPace(host)
      assert.strictEqual(ends.length, COUNT)
    }))

  it.effect("with headers of their own are asked for one by one, in turns", () =>
    Effect.gen(function*() {
      const host = script(fleet(COUNT), {}, LATENCY)
      const options: WaitOptions = { headers: { "x-request-id": "mine" } }
      yield* Effect.flatten(settle(told((id) => host.core.instances.waitUntilDeployed(id, options))))
      assertPace(host)
      assert.strictEqual(lists(host), 0)
      assert.isTrue(host.sent.every(({ request }) => request.headers["x-request-id"] === "mine"))
    }))

  it.effect("outlive a host that is away, and leave it alone as long as it asks", () =>
    Effect.gen(function*() {
      const away: Step = { status: 503, headers: { "retry-after": "30" }, body: { detail: "draining" } }
      const host = script((sent) => sent.at < 40_000 ? away : fleet(COUNT)(sent), {}, LATENCY)
      yield* Effect.flatten(settle(told((id) => host.core.instances.waitUntilDeployed(id))))
      assertPace(host)
      assert.deepStrictEqual(host.sent.slice(0, 3).map(({ at }) => Math.floor(at / 1000)), [0, 30, 60])
    }))

  it.effect("end each with an error of its own when the key is refused", () =>
    Effect.gen(function*() {
      const host = script([{ status: 401, body: { detail: "revoked" } }], {}, LATENCY)
      const errors = yield* Effect.flatten(settle(Effect.forEach(
        ids,
        (id) => Effect.flip(host.core.instances.waitUntilDeployed(id)),
        { concurrency: "unbounded" }
      )))
      assertPace(host)
      assert.deepStrictEqual(errors.map(({ instanceId }) => instanceId), ids)
      assert.strictEqual(new Set(errors).size, COUNT)
    }))
})

describe("a list that many waits share", () => {
  it.effect("tells nothing to a wait that began after it", () =>
    Effect.gen(function*() {
      const stopped = { id: 1, status: "running" }
      // The list takes 20 ms; at 10 ms the fifth begins to wait for what it would have shown.
      const host = script(
        ({ at, request }) => {
          const body = { ...stopped, status: at < 10 ? "running" : "stopping" }
          return { status: 200, body: request.path === "/instances" ? [body] : at < 60_000 ? body : stopped }
        },
        {},
        LATENCY
      )
      const running = host.core.instances.waitUntil(1, ({ status }) => status === "running")
      const never = host.core.instances.waitUntil(1, () => false, { waitTimeout: 300_000 })
      const others = yield* Effect.forkChild(Effect.all([never, never, never, never], { concurrency: "unbounded" }))
      const late = Effect.andThen(Effect.delay(running, 10), Clock.currentTimeMillis)
      assert.isAbove(yield* Effect.flatten(settle(late)), 60_000)
      yield* Fiber.interrupt(others)
    }))

  it.effect("whose records break the client ends the waits, and hangs none", () =>
    Effect.gen(function*() {
      const host = script([{ status: 200, body: [null] }], {}, LATENCY)
      const wait = host.core.instances.waitUntilDeployed(1)
      const exits = yield* Effect.flatten(
        settle(Effect.all([wait, wait, wait, wait].map(Effect.exit), { concurrency: "unbounded" }))
      )
      assert.isTrue(exits.every((exit) => exit._tag === "Failure" && Cause.hasDies(exit.cause)))
      assert.strictEqual(host.sent.length, 1)
    }))
})

describe("a few waits", () => {
  it.effect("are asked for one by one: a list of a large account is dear", () =>
    Effect.gen(function*() {
      const host = script(fleet(COUNT), {}, LATENCY)
      const wait = (id: number) => host.core.instances.waitUntilDeployed(id)
      yield* Effect.flatten(settle(Effect.all([wait(1), wait(2), wait(3)], { concurrency: "unbounded" })))
      assert.strictEqual(lists(host), 0)
      assert.deepStrictEqual(host.sent.slice(0, 3).map(({ at }) => at), [0, 0, 0])
    }))
})
