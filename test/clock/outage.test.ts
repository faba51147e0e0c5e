/** Grace periods continue after an outage for as long as it took: owners could not pay meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { confirmClock } from "#service/admin/commands/Clock"
import { extendGrace } from "#service/admin/commands/Wallet"
import { toTimestamp } from "#service/domain/Timestamp"
import { Database } from "#service/persistence/sqlite/Database"
import { emptyWallet, topUp } from "../support/billing.ts"
import { buy, show } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary.ts"
import { DAY, HOUR, MINUTE, realTime, serviceOn } from "../support/wrongClock.ts"

const BEGINNING = Date.parse("2027-01-31T12:00:00Z")

const deletedAt = (id: number) => Effect.map(show(id), ({ renewable_until }) => Date.parse(renewable_until ?? ""))

const execute = (sql: string) => Effect.map(Database, ({ connection }) => connection.exec(sql))

/** An instance in the middle of its grace period of 7 days, whose service then stops for a while. */
const stopped = Effect.fnUntraced(function*(millis: number) {
  const path = `${yield* temporaryFolder}/vps.db`
  const time = yield* realTime
  const service = () => serviceOn({ ahead: 0 }, path)
  yield* time.passUntil(BEGINNING)
  const id = yield* Effect.gen(function*() {
    const { id } = yield* buy()
    yield* time.pass(2 * MINUTE, 500)
    yield* emptyWallet(1)
    yield* execute(`UPDATE instances SET expires_at = ${BEGINNING + 10 * MINUTE} WHERE id = ${id}`)
    // Any request notifies the worker.
    yield* buy().pipe(Effect.ignore)
    yield* topUp(1)
    yield* time.pass(HOUR, MINUTE)
    assert.strictEqual((yield* show(id)).status, "expired")
    yield* time.pass(DAY, HOUR)
    return id
  }).pipe(Effect.provide(service()))
  yield* time.passUntil(time.now() + millis)
  return { id, service, time }
})

describe("an outage", () => {
  it.effect("of some hours makes the grace period longer by that, once for all processes that start", () =>
    Effect.gen(function*() {
      const { id, service, time } = yield* stopped(12 * HOUR)
      const end = yield* Effect.provide(deletedAt(id), service())
      assert.isAtLeast(end, BEGINNING + 7 * DAY + 12 * HOUR)
      assert.isAtMost(end, BEGINNING + 7 * DAY + 14 * HOUR)
      yield* time.pass(MINUTE)
      assert.strictEqual(yield* Effect.provide(deletedAt(id), service()), end)
    }))

  it.effect("that is longer than the grace period deletes nothing, and a payment saves the instance", () =>
    Effect.gen(function*() {
      const { id, service, time } = yield* stopped(8 * DAY)
      yield* Effect.gen(function*() {
        yield* confirmClock({ time: toTimestamp(time.now()) })
        yield* time.pass(HOUR, MINUTE)
        assert.strictEqual((yield* show(id)).status, "expired")
        assert.isAtLeast(yield* deletedAt(id), time.now() + 5 * DAY)
        yield* topUp(10_000, "after the outage")
        yield* time.pass(HOUR, MINUTE)
        assert.strictEqual((yield* show(id)).status, "running")
      }).pipe(Effect.provide(service()))
    }))

  it.effect("of an hour, as that of an upgrade, changes nothing", () =>
    Effect.gen(function*() {
      const { id, service } = yield* stopped(HOUR)
      assert.isAtMost(yield* Effect.provide(deletedAt(id), service()), BEGINNING + 7 * DAY + 15 * MINUTE)
    }))
})

describe("instances extend-grace", () => {
  it.effect("adds days to the grace period of an expired instance, and is refused for others", () =>
    Effect.gen(function*() {
      const { id, service } = yield* stopped(0)
      yield* Effect.gen(function*() {
        const before = yield* deletedAt(id)
        const { deleted_at } = yield* extendGrace({ id, days: 14 })
        assert.strictEqual(Date.parse(deleted_at), before + 14 * DAY)
        assert.strictEqual(yield* deletedAt(id), before + 14 * DAY)
        const other = yield* buy().pipe(
          Effect.flatMap(({ id }) => Effect.flip(extendGrace({ id, days: 1 }))),
          Effect.exit
        )
        assert.strictEqual(other._tag, "Failure")
      }).pipe(Effect.provide(service()))
    }))
})
