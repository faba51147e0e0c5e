/** The stored time of the service, and the work that was scheduled while it was wrong. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { DueTimes } from "#service/persistence/DueTimes"
import { Backups } from "#service/persistence/Snapshots"
import { ClockStates } from "#service/persistence/ClockStates"
import { Tasks } from "#service/persistence/Tasks"
import { setLifecycle } from "../../support/lifecycle.ts"
import { account, firstInstance, instance, NOW, stock, task } from "./Fixtures.ts"
import { type Rules, write } from "./Rules.ts"

const NEVER = { newest: 0, doubt: null, sourceAhead: 0, confirmations: 0 }
const DOUBT = { since: NOW, reason: "The clock jumped 3 days ahead." }

export const clock: Rules = {
  "is stored with its doubt, and never becomes older": Effect.gen(function*() {
    const { find, store } = yield* ClockStates
    assert.deepStrictEqual(yield* find, NEVER)
    yield* write(store({ ...NEVER, newest: NOW }))
    yield* write(store({ newest: NOW - 5, doubt: DOUBT, sourceAhead: -7, confirmations: 0 }))
    assert.deepStrictEqual(yield* find, { newest: NOW, doubt: DOUBT, sourceAhead: -7, confirmations: 0 })
    yield* write(store({ ...NEVER, newest: NOW + 5 }))
    assert.deepStrictEqual(yield* find, { ...NEVER, newest: NOW + 5 })
  }),

  "is as it was confirmed, even if that is earlier, and a process that missed it changes nothing": Effect.gen(
    function*() {
      const { confirm, find, store } = yield* ClockStates
      yield* write(confirm(NOW))
      assert.deepStrictEqual(yield* find, { ...NEVER, newest: NOW, confirmations: 1 })
      yield* write(store({ newest: NOW, doubt: DOUBT, sourceAhead: -7, confirmations: 1 }))
      yield* write(confirm(NOW - 9))
      const confirmed = { ...NEVER, newest: NOW - 9, confirmations: 2 }
      assert.deepStrictEqual(yield* find, confirmed)
      yield* write(store({ newest: NOW, doubt: DOUBT, sourceAhead: -7, confirmations: 1 }))
      assert.deepStrictEqual(yield* find, confirmed)
    }
  ),

  "that was ahead leaves work for later than it is ever scheduled, which is brought forward": Effect.gen(function*() {
    const tasks = yield* Tasks
    const { id } = yield* firstInstance
    const queued = yield* task(id, { runAt: NOW + 100 })
    yield* write(tasks.bringForward(NOW, NOW + 100))
    assert.strictEqual((yield* tasks.find(queued))?.runAt, NOW + 100)
    yield* write(tasks.bringForward(NOW, NOW + 99))
    assert.strictEqual((yield* tasks.find(queued))?.runAt, NOW)
    yield* write(tasks.claim(NOW, NOW + 100, 1))
    yield* write(tasks.shortenLeases(NOW + 100))
    assert.strictEqual((yield* tasks.find(queued))?.leaseUntil, NOW + 100)
    yield* write(tasks.shortenLeases(NOW + 99))
    assert.strictEqual((yield* tasks.find(queued))?.leaseUntil, NOW + 99)
  }),

  "that was ahead leaves backups for later, which are brought forward": Effect.gen(function*() {
    yield* stock
    const backups = yield* Backups
    const { id } = yield* instance(yield* account())
    yield* setLifecycle(id, "active")
    yield* backups.schedule(id, NOW + 100)
    yield* write(backups.bringForward(NOW, NOW + 100))
    assert.strictEqual((yield* (yield* DueTimes).next).backup, NOW + 100)
    yield* write(backups.bringForward(NOW, NOW + 99))
    assert.strictEqual((yield* (yield* DueTimes).next).backup, NOW)
  })
}
