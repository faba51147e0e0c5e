/** The emulator's clock. */
import * as Effect from "effect/Effect"
import * as Clock from "effect/Clock"
import * as Fiber from "effect/Fiber"
import { assert, describe, it } from "@effect/vitest"
import { startApp, type TestApp } from "../support/app.ts"
import { temporaryFolder } from "../support/temporary.ts"
import { VirtualClock } from "#service/emulator/VirtualClock"

const DAY = 86_400_000

const advance = (app: TestApp, millis: number) => app.control("POST", "/clock", { advance_ms: millis })
const freeze = (app: TestApp, frozen: boolean) => app.control("POST", "/clock", { freeze: frozen })
const create = (app: TestApp, service = 1) =>
  Effect.map(
    app.api({ method: "POST", path: "/instances", body: { service_id: service } }),
    ({ body }) => body.id as number
  )
const status = (app: TestApp, id: number) =>
  Effect.map(app.api({ path: `/instances/${id}` }), ({ body }) => body.status as string)
const kinds = (app: TestApp) =>
  Effect.map(
    app.control("GET", "/ledger"),
    ({ body }) => body.journals.map(({ kind }: { kind: string }) => kind) as Array<string>
  )

/** A frozen emulator with the default deploy setting. */
const frozen = Effect.fnUntraced(function*(flags: ReadonlyArray<string> = []) {
  const app = yield* startApp(flags)
  yield* app.control("PUT", "/deploy", { mode: "after_ms", value: 1000 })
  const { body } = yield* freeze(app, true)
  return { app, now: Date.parse(body.now) }
})

describe("a frozen clock", () => {
  it.live("does not advance: new records have its time, and nothing deploys", () =>
    Effect.gen(function*() {
      const { app, now } = yield* frozen()
      const id = yield* create(app)
      const { body } = yield* app.api({ path: `/instances/${id}` })
      assert.strictEqual(body.created_at, new Date(now).toISOString())
      assert.deepStrictEqual((yield* advance(app, 0)).body, { now: new Date(now).toISOString(), frozen: true })
      assert.strictEqual(yield* status(app, id), "provisioning")
    }))

  it.live("advances by exactly the requested time", () =>
    Effect.gen(function*() {
      const { app, now } = yield* frozen()
      const id = yield* create(app)
      yield* advance(app, 999)
      assert.strictEqual(yield* status(app, id), "provisioning")
      const { body } = yield* advance(app, 1)
      assert.deepStrictEqual(body, { now: new Date(now + 1_000).toISOString(), frozen: true })
      assert.strictEqual(yield* status(app, id), "running")
    }))

  it.live("does not keep a caller waiting for the upstream", () =>
    Effect.gen(function*() {
      const { app } = yield* frozen()
      const id = yield* create(app)
      yield* advance(app, 1_000)
      const answer = yield* app.api({ method: "PATCH", path: `/instances/${id}/hostname`, body: { hostname: "db" } })
      assert.deepStrictEqual([answer.status, answer.body.hostname], [200, "db"])
    }))

  it.live("resumes from the time at which it was frozen", () =>
    Effect.gen(function*() {
      const { app, now } = yield* frozen()
      yield* advance(app, 10 * DAY)
      const { body } = yield* freeze(app, false)
      assert.isFalse(body.frozen)
      assert.isAtLeast(Date.parse(body.now), now + 10 * DAY)
      assert.isBelow(Date.parse(body.now), now + 11 * DAY)
    }))
})

describe("an advance", () => {
  it.live("runs everything that becomes due, in order, and returns when all of it is done", () =>
    Effect.gen(function*() {
      const { app } = yield* frozen()
      yield* create(app, 1)
      yield* advance(app, DAY)
      yield* create(app, 2)
      // Two months and a bit: each is deployed, then each of their periods ends in its turn.
      yield* advance(app, 63 * DAY)
      assert.deepStrictEqual(yield* kinds(app), [
        "top_up",
        "instance_create",
        "instance_create",
        ...Array.from({ length: 4 }, () => "instance_renew")
      ])
      const { body } = yield* app.control("GET", "/ledger")
      const renewals = body.journals.slice(3).map(({ reference }: { reference: string }) => reference.split(":")[2])
      assert.deepStrictEqual(renewals, ["1", "2", "1", "2"])
      assert.isTrue(body.balanced)
      const { body: tasks } = yield* app.control("GET", "/tasks")
      assert.isTrue(tasks.every(({ finished_at: at }: { finished_at: string | null }) => at !== null))
    }))

  it.live("drives expiry, the grace, and a top-up within it", () =>
    Effect.gen(function*() {
      const { app } = yield* frozen()
      const { body: account } = yield* app.control("POST", "/accounts", { email: "b@example.test", wallet: 10 })
      const buy = app.api({ method: "POST", path: "/instances", body: { service_id: 2 }, key: account.api_key })
      const { body } = yield* buy
      const look = Effect.map(
        app.api({ path: `/instances/${body.id}`, key: account.api_key }),
        (answer) => answer.status === 200 ? answer.body.status as string : answer.status
      )
      const left = Date.parse(body.expires_at) - Date.parse(body.created_at)
      yield* advance(app, left - 1)
      assert.strictEqual(yield* look, "running")
      yield* advance(app, 1_000)
      assert.strictEqual(yield* look, "expired")
      yield* app.control("POST", "/wallet", { account_id: account.account_id, amount: 9.98 })
      yield* advance(app, 1_000)
      assert.strictEqual(yield* look, "running")
      yield* advance(app, 31 * DAY)
      assert.strictEqual(yield* look, "expired")
      yield* advance(app, 7 * DAY)
      assert.strictEqual(yield* look, 404)
    }))

  it.live("of a clock that runs leaves it running", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { body } = yield* advance(app, DAY)
      assert.isFalse(body.frozen)
      const id = yield* create(app)
      const { body: instance } = yield* app.api({ path: `/instances/${id}` })
      assert.isAtLeast(Date.parse(instance.created_at), Date.parse(body.now))
    }))

  it.live("over three years with an instance takes no time to speak of, and charges every month once", () =>
    Effect.gen(function*() {
      const { app } = yield* frozen()
      yield* app.control("POST", "/wallet", { amount: 1_000 })
      yield* create(app)
      yield* advance(app, 1_096 * DAY)
      const renewals = (yield* kinds(app)).filter((kind) => kind === "instance_renew")
      assert.include([35, 36], renewals.length)
    }))
})

describe("everything", () => {
  const DRIVER = { operation: "driver.provision", driver: "busy", probability: 0.7, seed: 3 }

  /** When each task ended after any number of tries, in milliseconds before the end; at noon, far from nights. */
  const history = Effect.gen(function*() {
    const { app, now } = yield* frozen()
    const live = Effect.gen(function*() {
      const { body: before } = yield* advance(app, 0)
      yield* advance(app, DAY - (Date.parse(before.now) + DAY / 2) % DAY)
      yield* app.control("POST", "/faults", DRIVER)
      for (let bought = 0; bought < 10; bought++) yield* create(app)
      const { body: clock } = yield* advance(app, 120_000)
      const { body } = yield* app.control("GET", "/tasks")
      const tasks = body as ReadonlyArray<{ readonly id: number; readonly finished_at: string }>
      return tasks.map(({ finished_at: at, id }) => [id, Date.parse(at) - Date.parse(clock.now)])
    })
    const first = yield* live
    yield* app.control("POST", "/reset")
    yield* app.control("POST", "/clock", { freeze: true })
    yield* app.control("PUT", "/deploy", { mode: "after_ms", value: 1000 })
    assert.isAbove(now, 0)
    return [first, yield* live]
  }).pipe(Effect.scoped)

  it.live("happens at the same moments under a frozen clock and a seed, retries too, also after a reset", () =>
    Effect.gen(function*() {
      const [first, afterReset] = yield* history
      assert.isAbove(new Set(first!.map(([, moment]) => moment)).size, 5, "some were tried again")
      assert.deepStrictEqual(afterReset, first)
      assert.deepStrictEqual((yield* history)[0], first)
    }))
})

describe("keys", () => {
  it.live("expire by the emulator's clock", () =>
    Effect.gen(function*() {
      const { app, now } = yield* frozen()
      const asked = { scopes: ["vps:read"], expires_at: new Date(now + DAY).toISOString() }
      const { body: key } = yield* app.control("POST", "/keys", asked)
      const look = Effect.map(app.api({ path: "/instances", key: key.api_key }), (answer) => answer.status)
      assert.strictEqual(yield* look, 200)
      yield* advance(app, DAY - 1)
      assert.strictEqual(yield* look, 200)
      yield* advance(app, 1)
      assert.strictEqual(yield* look, 401)
    }))
})

describe("the clock itself", () => {
  it.live("goes back with a reset", () =>
    Effect.gen(function*() {
      const { app, now } = yield* frozen()
      yield* advance(app, 400 * DAY)
      yield* app.control("POST", "/reset")
      const { body } = yield* advance(app, 0)
      assert.isFalse(body.frozen)
      assert.isBelow(Date.parse(body.now), now + DAY)
      const id = yield* create(app)
      yield* advance(app, 1_000)
      assert.strictEqual(yield* status(app, id), "running")
    }))

  it.live("shows the same after a restart on the same file", () =>
    Effect.gen(function*() {
      const flags = ["--database", `${yield* temporaryFolder}/emulator.db`]
      const before = yield* Effect.scoped(Effect.gen(function*() {
        const { app } = yield* frozen(flags)
        return (yield* advance(app, 40 * DAY)).body
      }))
      const app = yield* startApp(flags)
      assert.deepStrictEqual((yield* advance(app, 0)).body, before)
    }))
})

/** A clock whose time is what it was set to. */
const handClock = () => {
  const state = { now: 1_000 }
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => state.now,
    currentTimeMillis: Effect.sync(() => state.now),
    currentTimeNanosUnsafe: () => BigInt(state.now) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(state.now) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(state.now) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(state.now) * 1_000_000n),
    sleep: () => Effect.never
  }
  return { state, clock }
}

/** Sleeps on the clock, and records when it resumes. */
const sleeper = (line: VirtualClock, millis: number, woken: Array<string>, name: string) =>
  Effect.sleep(millis).pipe(
    Effect.andThen(Effect.sync(() => void woken.push(`${name}@${line.currentTimeMillisUnsafe()}`))),
    Effect.provideService(Clock.Clock, line),
    Effect.forkChild({ startImmediately: true })
  )

const walkTo = (line: VirtualClock, target: number) =>
  Effect.gen(function*() {
    while (line.next !== undefined && line.next <= target) {
      line.moveTo(line.next)
      yield* Effect.yieldNow
    }
    line.moveTo(target)
  })

describe("a timeline", () => {
  it.effect("follows the other clock until it is frozen, and then continues from there", () =>
    Effect.gen(function*() {
      const { clock, state } = handClock()
      const line = new VirtualClock(clock)
      assert.strictEqual(line.currentTimeMillisUnsafe(), 1_000)
      state.now = 2_000
      line.stop()
      state.now = 5_000
      assert.deepStrictEqual([line.currentTimeMillisUnsafe(), line.stoppedAt, line.ahead], [2_000, 2_000, -3_000])
      line.moveTo(9_000)
      line.run()
      state.now = 5_010
      assert.deepStrictEqual([line.currentTimeMillisUnsafe(), line.stoppedAt, line.ahead], [9_010, undefined, 4_000])
      assert.strictEqual(line.currentTimeNanosUnsafe(), 9_010_000_000n)
    }))

  it.effect("resumes sleepers in the order of their times, and then of their start", () =>
    Effect.gen(function*() {
      const line = new VirtualClock(handClock().clock)
      line.stop()
      const woken: Array<string> = []
      const fibers = [
        yield* sleeper(line, 300, woken, "late"),
        yield* sleeper(line, 100, woken, "first"),
        yield* sleeper(line, 100, woken, "second"),
        yield* sleeper(line, 101, woken, "third")
      ]
      yield* walkTo(line, 1_200)
      assert.deepStrictEqual(woken, ["first@1100", "second@1100", "third@1101"])
      assert.strictEqual(line.next, 1_300)
      yield* Fiber.interruptAll(fibers)
      assert.isUndefined(line.next)
    }))

  it.effect("set to another time leaves what is left of each sleep", () =>
    Effect.gen(function*() {
      const line = new VirtualClock(handClock().clock)
      line.stop()
      const woken: Array<string> = []
      yield* sleeper(line, 100, woken, "a")
      line.set(50_000)
      assert.strictEqual(line.next, 50_100)
      line.set(10)
      yield* walkTo(line, 110)
      assert.deepStrictEqual(woken, ["a@110"])
    }))

  it.live("resumes sleepers by itself while it runs ahead", () =>
    Effect.gen(function*() {
      const line = new VirtualClock(yield* Clock.Clock)
      line.stop()
      line.moveTo(line.currentTimeMillisUnsafe() + 1e12)
      line.run()
      const before = line.currentTimeMillisUnsafe()
      yield* Effect.provideService(Effect.sleep(5), Clock.Clock, line)
      assert.isAtLeast(line.currentTimeMillisUnsafe(), before + 5)
    }))
})
