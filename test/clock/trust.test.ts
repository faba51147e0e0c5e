/** The service's clock: trust in the machine's clock, steadiness, and restarts. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { assert, describe, it } from "@effect/vitest"
import { confirmClock, showClock } from "#service/admin/commands/Clock"
import { toTimestamp } from "#service/domain/Timestamp"
import { jump } from "#service/domain/ClockDoubt"
import { warningOf } from "#service/http/system/Health"
import { Metrics, scrape } from "#service/observability/Metrics"
import { ClockTrust, ServiceClock } from "#service/persistence/clock/ServiceClock"
import { ClockStates } from "#service/persistence/ClockStates"
import { Transaction } from "#service/persistence/Transaction"
import { Tasks } from "#service/persistence/Tasks"
import { renewals } from "../support/billing.ts"
import { buy, show } from "../support/service.ts"
import {
  DAY,
  HOUR,
  MINUTE,
  realTime,
  serviceOn,
  unprotectedServiceOn,
  type WrongClock,
  YEAR
} from "../support/wrongClock.ts"
import { temporaryFolder } from "../support/temporary.ts"

const refusal = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

/** The metrics of the clock. */
const scraped = Effect.map(Effect.provide(scrape, Metrics.layer), (text) =>
  Object.fromEntries(
    [...text.matchAll(/^(vps_clock_\w+) (.+)$/gm)].map(([, name, value]) => [name, Number(value)])
  ))

/** Some time that is not the beginning of all time. */
const BEGINNING = Date.parse("2027-01-31T12:00:00Z")

/** A task that waits. */
const START = {
  type: "start",
  params: "{}",
  sealed: null,
  actor: "system",
  apiKeyId: null,
  requestId: null,
  leaseUntil: null
} as const

describe("three seconds of a clock three years ahead", () => {
  const incident = (wrong: WrongClock, time: Effect.Success<typeof realTime>) =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      yield* time.pass(2 * MINUTE, 500)
      wrong.ahead = 3 * YEAR
      const { run } = yield* Transaction
      // Any request notifies the worker.
      yield* buy()
      yield* time.pass(3_000, 500)
      wrong.ahead = 0
      yield* run(Effect.void)
      yield* time.pass(2 * MINUTE, 500)
      return { id, charged: (yield* renewals).length, expires: (yield* show(id)).expires_at }
    })

  it.effect("charge a period without protection", () =>
    Effect.gen(function*() {
      const wrong = { ahead: 0 }
      const time = yield* realTime
      yield* time.passUntil(BEGINNING)
      const { charged } = yield* Effect.provide(incident(wrong, time), unprotectedServiceOn(wrong))
      assert.strictEqual(charged, 1)
    }))

  it.effect("charge nothing, and change no time", () =>
    Effect.gen(function*() {
      const wrong = { ahead: 0 }
      const time = yield* realTime
      yield* time.passUntil(BEGINNING)
      const { charged, expires } = yield* Effect.provide(incident(wrong, time), serviceOn(wrong))
      assert.strictEqual(charged, 0)
      assert.strictEqual(expires!.slice(0, 10), "2027-02-28")
    }))
})

describe("a jump", () => {
  it.effect("of a minute is a correction, which the service follows", () =>
    Effect.gen(function*() {
      const wrong = { ahead: 0 }
      const time = yield* realTime
      yield* Effect.gen(function*() {
        const { check, doubt } = yield* ClockTrust
        wrong.ahead = MINUTE
        assert.isTrue(yield* check)
        assert.strictEqual(yield* Clock.currentTimeMillis, time.now() + MINUTE)
        wrong.ahead = 2 * MINUTE + 1
        assert.isFalse(yield* check)
        assert.strictEqual(yield* Clock.currentTimeMillis, time.now() + MINUTE)
        assert.strictEqual(doubt()?.reason, "The clock jumped 1 minutes ahead.")
      }).pipe(Effect.provide(serviceOn(wrong)))
    }))

  it.effect.each([-YEAR, -2 * MINUTE, 2 * MINUTE, YEAR])(
    "of %i ms stops renewals and expiry until an operator confirms the time, which need not be done at once",
    (ahead) =>
      Effect.gen(function*() {
        const wrong = { ahead: 0 }
        const time = yield* realTime
        yield* time.passUntil(BEGINNING)
        const lines: Array<string> = []
        const logger = Logger.make(({ message }) => void lines.push(String(message)))
        yield* Effect.gen(function*() {
          yield* buy()
          yield* time.pass(2 * MINUTE, 500)
          wrong.ahead = ahead
          yield* time.pass(2 * MINUTE)
          const { doubt } = yield* ClockTrust
          assert.deepInclude(yield* scraped, { vps_clock_trusted: 0, vps_clock_ahead_seconds: ahead / 1_000 })
          assert.include(warningOf(undefined, doubt()), `${doubt()!.reason} Renewals, expiry, deletions,`)
          assert.include(warningOf("Instances are simulated.", doubt()), "simulated. The clock jumped ")
          assert.lengthOf(lines.filter((line) => line.includes("vps-service admin clock confirm")), 1)
          // The jump is over, but no operator has looked at it.
          wrong.ahead = 0
          yield* time.pass(2 * MINUTE)
          yield* time.passUntil(BEGINNING + 29 * DAY)
          assert.lengthOf(yield* renewals, 0)
          const shown = yield* showClock
          assert.deepInclude(shown, { trusted: false, periods_ending: 1, deletions_due: 0 })
          assert.include(yield* refusal(confirmClock({ time: toTimestamp(time.now() + HOUR) })), "differs from")
          yield* confirmClock({ time: toTimestamp(time.now()) })
          yield* time.pass(2_000, 500)
          assert.lengthOf(yield* renewals, 1)
          assert.include(yield* refusal(confirmClock({ time: toTimestamp(time.now()) })), "nothing to confirm")
        }).pipe(Effect.provide(Layer.provideMerge(serviceOn(wrong), Logger.layer([logger]))))
      })
  )

  it.effect("that an operator confirms changes the time at once, and brings forward what waits for the old one", () =>
    Effect.gen(function*() {
      const wrong = { ahead: YEAR }
      const time = yield* realTime
      yield* time.passUntil(BEGINNING)
      yield* Effect.gen(function*() {
        const { id } = yield* buy()
        const tasks = yield* Tasks
        wrong.ahead = 0
        yield* time.pass(2 * MINUTE, 500)
        assert.strictEqual(yield* Clock.currentTimeMillis, time.now() + YEAR)
        const runAt = time.now() + YEAR + MINUTE
        yield* (yield* Transaction).run(tasks.insert({ ...START, instanceId: id, runAt, at: time.now() }))
        yield* confirmClock({ time: toTimestamp(time.now()) })
        assert.strictEqual(yield* Clock.currentTimeMillis, time.now())
        yield* time.pass(2_000, 500)
        assert.isBelow((yield* tasks.open(id))?.runAt ?? 0, time.now() + MINUTE)
      }).pipe(Effect.provide(serviceOn(wrong)))
    }))
})

describe("processes that share a database", () => {
  it.effect("bring forward what they schedule by the wrong time after another one has confirmed the right one", () =>
    Effect.gen(function*() {
      const wrong = { ahead: YEAR }
      const time = yield* realTime
      yield* time.passUntil(BEGINNING)
      yield* Effect.gen(function*() {
        const { id } = yield* buy()
        const tasks = yield* Tasks
        const { run } = yield* Transaction
        wrong.ahead = 0
        yield* time.pass(2 * MINUTE, 500)
        yield* run((yield* ClockStates).confirm(time.now()))
        yield* run(tasks.insert({ ...START, instanceId: id, runAt: time.now() + YEAR + MINUTE, at: time.now() }))
        yield* time.pass(2 * MINUTE, 500)
        assert.strictEqual(yield* Clock.currentTimeMillis, time.now())
        assert.isBelow((yield* tasks.open(id))?.runAt ?? 0, time.now() + MINUTE)
      }).pipe(Effect.provide(serviceOn(wrong)))
    }))

  it.effect("stop together, and continue together", () =>
    Effect.gen(function*() {
      const wrong = { ahead: 0 }
      const time = yield* realTime
      yield* time.passUntil(BEGINNING)
      yield* Effect.gen(function*() {
        const { check, doubt } = yield* ClockTrust
        const states = yield* ClockStates
        const { run } = yield* Transaction
        yield* check
        const other = { since: time.now(), reason: "The clock jumped 3 days ahead." }
        yield* run(states.store({ newest: time.now(), doubt: other, sourceAhead: 0, confirmations: 0 }))
        assert.isFalse(yield* check)
        assert.deepStrictEqual(doubt(), other)
        yield* run(states.confirm(time.now()))
        // A process that does not know of the confirmation yet cannot undo it.
        yield* run(states.store({ newest: time.now(), doubt: other, sourceAhead: 0, confirmations: 0 }))
        assert.isTrue(yield* check)
        assert.isNull(doubt())
      }).pipe(Effect.provide(serviceOn(wrong)))
    }))

  it.effect.each([["40 days ahead", 40 * DAY], ["2 minutes back", -2 * MINUTE]] as const)(
    "notice a jump %s that follows a confirmation before they have read it",
    ([, ahead]) =>
      Effect.gen(function*() {
        const wrong = { ahead: 0 }
        const time = yield* realTime
        yield* time.passUntil(BEGINNING)
        yield* Effect.gen(function*() {
          const { check, doubt } = yield* ClockTrust
          const states = yield* ClockStates
          const { run } = yield* Transaction
          yield* check
          const other = { since: time.now(), reason: "The clock jumped 3 days ahead." }
          yield* run(states.store({ newest: time.now(), doubt: other, sourceAhead: 0, confirmations: 0 }))
          yield* check
          yield* run(states.confirm(time.now()))
          wrong.ahead = ahead
          assert.isFalse(yield* check)
          assert.strictEqual(doubt()?.reason, jump(ahead))
          assert.strictEqual(yield* Clock.currentTimeMillis, time.now())
          wrong.ahead = 0
          yield* confirmClock({ time: toTimestamp(time.now()) })
          assert.isTrue(yield* check)
        }).pipe(Effect.provide(serviceOn(wrong)))
      })
  )
})

describe("a restart", () => {
  /** Runs a service for a while, stops it for some time, and returns what the next one finds. */
  const restarted = (ahead: number, stopped: number) =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/vps.db`
      const wrong = { ahead: 0 }
      const time = yield* realTime
      yield* time.passUntil(BEGINNING)
      yield* Effect.provide(Effect.andThen(buy(), time.pass(2 * MINUTE, 500)), serviceOn(wrong, path))
      wrong.ahead = ahead
      yield* time.pass(stopped)
      return yield* Effect.gen(function*() {
        yield* time.pass(2 * MINUTE, 500)
        const { doubt } = yield* ClockTrust
        const off = (yield* Clock.currentTimeMillis) - time.now()
        return { charged: (yield* renewals).length, reason: doubt()?.reason, off }
      }).pipe(Effect.provide(serviceOn(wrong, path)))
    })

  it.effect("under a clock three years ahead charges nothing", () =>
    Effect.gen(function*() {
      const { charged, reason } = yield* restarted(3 * YEAR, HOUR)
      assert.strictEqual(charged, 0)
      assert.include(reason, "1095 days ahead of the service's last run")
    }))

  it.effect("under a clock three years behind continues from the stored time", () =>
    Effect.gen(function*() {
      const { off, reason } = yield* restarted(-3 * YEAR, HOUR)
      assert.include(reason, "behind the service's last run")
      assert.isAtLeast(off, -2 * HOUR)
    }))

  it.effect("after an hour under a clock that is right is nothing", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* restarted(0, HOUR), { charged: 0, reason: undefined, off: 0 })
    }))

  it.effect("does not end a doubt", () =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/vps.db`
      const wrong = { ahead: 0 }
      const time = yield* realTime
      yield* time.passUntil(BEGINNING)
      yield* Effect.gen(function*() {
        yield* time.pass(2 * MINUTE)
        wrong.ahead = HOUR
        yield* time.pass(2 * MINUTE)
        assert.isNotNull((yield* (yield* ClockStates).find).doubt)
      }).pipe(Effect.provide(serviceOn(wrong, path)))
      yield* Effect.gen(function*() {
        const { doubt } = yield* ClockTrust
        assert.strictEqual(doubt()?.reason, "The clock jumped 1 hours ahead.")
        assert.strictEqual(yield* Clock.currentTimeMillis, time.now())
      }).pipe(Effect.provide(serviceOn(wrong, path)))
    }))
})

describe("the time of the service", () => {
  it.effect("shows the reading, and advances steadily from there", () =>
    Effect.gen(function*() {
      let steady = 1_000
      const clock = new ServiceClock(yield* Clock.Clock, () => steady)
      clock.set({ millis: 1_700_000_000_000, at: 1_000 })
      assert.strictEqual(yield* clock.currentTimeMillis, 1_700_000_000_000)
      steady += 250
      assert.strictEqual(yield* clock.currentTimeMillis, 1_700_000_000_250)
      assert.strictEqual(yield* clock.currentTimeNanos, 1_700_000_000_250_000_000n)
    }))
  it.effect("stops until the reading has caught up instead of going back", () =>
    Effect.gen(function*() {
      let steady = 0
      const clock = new ServiceClock(yield* Clock.Clock, () => steady)
      clock.set({ millis: 1_700_000_000_500, at: 0 })
      assert.strictEqual(clock.currentTimeMillisUnsafe(), 1_700_000_000_500)
      clock.set({ millis: 1_700_000_000_000, at: 0 })
      steady = 400
      assert.strictEqual(clock.currentTimeMillisUnsafe(), 1_700_000_000_500)
      steady = 600
      assert.strictEqual(clock.currentTimeMillisUnsafe(), 1_700_000_000_600)
    }))
  it.effect("goes back only when it is restarted", () =>
    Effect.gen(function*() {
      const clock = new ServiceClock(yield* Clock.Clock, () => 0)
      clock.set({ millis: 5_000, at: 0 })
      assert.strictEqual(clock.difference({ millis: 7_000, at: 500 }), 1_500)
      assert.strictEqual(clock.currentTimeMillisUnsafe(), 5_000)
      clock.restart({ millis: 1_000, at: 0 })
      assert.strictEqual(clock.currentTimeMillisUnsafe(), 1_000)
    }))
})
