/** The delivery of mails that wait in the database: once each, in order, also while the mail server takes none. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { Mails } from "#service/persistence/Mails"
import { Transaction } from "#service/persistence/Transaction"
import { WorkerNotifier } from "#service/runtime/WorkerNotifier"
import { execute } from "../support/database.ts"
import { Mailbox } from "../support/mailbox.ts"
import { coreLayer, elapse, serviceLayer } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary.ts"

const { MAIL_FORGET_PAUSE_MILLIS, MAIL_KEPT_MILLIS, MAIL_LEASE_MILLIS, MAIL_RETRY_MAX_MILLIS } = DEFAULT_LIMITS

const mail = (event: string, to = "owner@example.test") =>
  ({ event, kind: "suspended", accountId: 1, instanceId: null, to, subject: event, text: "..." }) as const

const write = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.flatMap(Transaction, ({ run }) => run(work))

/** Writes mails in the order of their events, and notifies the worker. */
const post = Effect.fnUntraced(function*(...mails: ReadonlyArray<ReturnType<typeof mail>>) {
  const now = yield* Clock.currentTimeMillis
  const { addForOwner: add } = yield* Mails
  const ids = yield* write(Effect.forEach(mails, (one) => add(one, now)))
  yield* (yield* WorkerNotifier).notify
  return ids
})

const subjects = Effect.map(Mailbox, ({ received }) => received.map(({ subject }) => subject))

const stored = (id: number) => Effect.flatMap(Mails, ({ find }) => Effect.map(find(id), (found) => found!))

describe("a mail that waits in the database", () => {
  it.effect("is sent once, in the order of writing, and a second one of its event is not written", () =>
    Effect.gen(function*() {
      yield* post(mail("a"), mail("b"), mail("c"))
      yield* elapse(1_000)
      assert.deepStrictEqual(yield* post(mail("b")), [0])
      yield* elapse(MAIL_LEASE_MILLIS * 2, 10_000)
      assert.deepStrictEqual(yield* subjects, ["a", "b", "c"])
      assert.deepStrictEqual((yield* Mailbox).received.map(({ id }) => id), ["a", "b", "c"])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is not sent if the transaction that wrote it fails", () =>
    Effect.gen(function*() {
      const { addForOwner: add } = yield* Mails
      yield* Effect.flip(write(Effect.andThen(add(mail("a"), 0), Effect.fail("no"))))
      yield* post(mail("b"))
      yield* elapse(1_000)
      assert.deepStrictEqual(yield* subjects, ["b"])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("waits while the mail server takes none, for a day too, and is sent soon after its return", () =>
    Effect.gen(function*() {
      const box = yield* Mailbox
      box.refusals = Number.POSITIVE_INFINITY
      const ids = yield* post(mail("a"), mail("b"), mail("c"))
      yield* elapse(24 * 3_600_000, 60_000)
      const { attempts, error } = yield* stored(ids[0]!)
      assert.strictEqual(error, "no")
      assert.isAtMost(attempts, 24 * 3_600_000 / MAIL_RETRY_MAX_MILLIS + 12)
      assert.deepInclude(yield* (yield* Mails).waiting, { count: 3 })
      box.refusals = 0
      yield* elapse(MAIL_RETRY_MAX_MILLIS, 10_000)
      assert.sameMembers([...yield* subjects], ["a", "b", "c"])
      assert.deepInclude(yield* (yield* Mails).waiting, { count: 0 })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is not sent to an address that the server refuses, and holds up no other", () =>
    Effect.gen(function*() {
      const box = yield* Mailbox
      box.refused = "gone@example.test"
      const [gone] = yield* post(mail("a", "gone@example.test"), mail("b"))
      yield* elapse(1_000)
      assert.deepStrictEqual(yield* subjects, ["b"])
      assert.deepInclude(yield* stored(gone!), { sentAt: null, dueAt: null, error: "no such address", attempts: 1 })
      box.refused = undefined
      assert.isTrue(yield* (yield* Mails).again(gone!, yield* Clock.currentTimeMillis))
      yield* (yield* WorkerNotifier).notify
      yield* elapse(1_000)
      assert.deepStrictEqual(yield* subjects, ["b", "a"])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is sent alone: one that hangs delays the others and is not taken a second time", () =>
    Effect.gen(function*() {
      const box = yield* Mailbox
      const released = yield* Deferred.make<void>()
      box.meanwhile = Deferred.await(released)
      yield* post(mail("a"), mail("b"))
      yield* elapse(MAIL_LEASE_MILLIS * 3, 10_000)
      assert.deepStrictEqual(yield* subjects, [])
      yield* Deferred.succeed(released, undefined)
      yield* elapse(1_000)
      assert.deepStrictEqual(yield* subjects, ["a", "b"])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is sent again, under the same id, when its process was killed during the attempt", () =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/vps.db`
      const taken = Effect.gen(function*() {
        const [id] = yield* post(mail("a"))
        const now = yield* Clock.currentTimeMillis
        return yield* write(Effect.flatMap(Mails, ({ take }) => take(now, now + MAIL_LEASE_MILLIS))).pipe(
          Effect.map((found) => [id, found?.id])
        )
      })
      const [id, found] = yield* Effect.provide(taken, coreLayer(path))
      assert.strictEqual(found, id)
      yield* Effect.gen(function*() {
        yield* elapse(MAIL_LEASE_MILLIS - 1_000, 1_000)
        assert.deepStrictEqual(yield* subjects, [], "the other process may still be sending it")
        yield* elapse(2_000)
        assert.deepStrictEqual((yield* Mailbox).received.map((one) => one.id), ["a"])
      }).pipe(Effect.provide(serviceLayer(path)))
    }))

  it.effect("can be withdrawn until an attempt begins", () =>
    Effect.gen(function*() {
      const { take, withdraw } = yield* Mails
      const [first, second] = yield* post(mail("a"), mail("b"))
      const now = yield* Clock.currentTimeMillis
      assert.strictEqual((yield* write(take(now, now + 1_000)))?.id, first)
      assert.isFalse(yield* withdraw(first!, now, "no"))
      assert.isTrue(yield* withdraw(second!, now, "no"))
      assert.isFalse(yield* withdraw(second!, now, "no"))
      assert.isUndefined(yield* write(take(now, now + 1_000)))
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is taken by one of two processes", () =>
    Effect.gen(function*() {
      const { take } = yield* Mails
      yield* post(mail("a"))
      const both = yield* Effect.all([write(take(0, 9)), write(take(0, 9))], { concurrency: "unbounded" })
      assert.lengthOf(both.filter((one) => one !== undefined), 1)
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is deleted some time after it was sent, and stays while it was not", () =>
    Effect.gen(function*() {
      const box = yield* Mailbox
      box.refused = "gone@example.test"
      const [sent, refused] = yield* post(mail("a"), mail("b", "gone@example.test"))
      yield* elapse(1_000)
      yield* execute(`UPDATE mails SET created_at = created_at - ${MAIL_KEPT_MILLIS + 2_000}`)
      yield* elapse(MAIL_FORGET_PAUSE_MILLIS, 60_000)
      yield* post(mail("c"))
      yield* elapse(1_000)
      const { find } = yield* Mails
      assert.isUndefined(yield* find(sent!))
      assert.isDefined(yield* find(refused!))
    }).pipe(Effect.provide(serviceLayer())))
})
