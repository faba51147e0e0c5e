/** Group commit: which jobs share a transaction, which run alone, and which survive a failure. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { statSync } from "node:fs"
import { StorageUnavailable } from "#service/domain/Errors"
import { Accounts } from "#service/persistence/Accounts"
import { Database } from "#service/persistence/sqlite/Database"
import { unavailable } from "#service/persistence/sqlite/WriteLane"
import { BatchObserver, CommitDelay, Transaction } from "#service/persistence/Transaction"
import { coreLayer, persistenceLayer } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary.ts"

class Refused extends Schema.TaggedError<Refused>()("Refused", {}) {}

const newAccount = {
  email: "a@example.test",
  currency: "EUR",
  vat: { treatment: "domestic", rate: 1900 },
  at: 0
} as const

const open = Effect.flatMap(Accounts, (accounts) => accounts.create(newAccount))

const count = Effect.map(Database, (db) => db.one<[number]>("SELECT count(*) FROM accounts")()![0])

const together = <A, E, R>(useCases: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.gen(function*() {
    const { run } = yield* Transaction
    const fibers = yield* Effect.forEach(useCases, (useCase) => Effect.forkChild(run(useCase)))
    return yield* Effect.forEach(fibers, Fiber.await)
  })

describe("the write lane", () => {
  it("reports the outcome as in doubt only for a failed fsync", () => {
    const failed = (errcode: number) => unavailable(Object.assign(new Error("disk I/O error"), { errcode }))
    const message = "The database cannot be written: disk I/O error."
    const FSYNC = 10 + 4 * 256
    assert.deepStrictEqual(failed(FSYNC), Exit.fail(new StorageUnavailable({ message, inDoubt: true })))
    assert.deepStrictEqual(failed(10), Exit.fail(new StorageUnavailable({ message })))
  })

  it.effect("lets background work wait for another commit, and not for ever", () => {
    const sizes: Array<number> = []
    return Effect.gen(function*() {
      const { run } = yield* Transaction
      const inBackground = (delay: number) => Effect.provideService(run(open), CommitDelay, delay)
      const waiting = yield* Effect.forkChild(inBackground(60_000), { startImmediately: true })
      yield* Effect.callback<void>((resume) => void setTimeout(() => resume(Effect.void), 20))
      assert.strictEqual(yield* count, 0)
      yield* run(open)
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(sizes, [2])
      yield* inBackground(1)
      assert.deepStrictEqual(sizes, [2, 1])
      // Background work that is refused costs a second transaction, and takes nothing else back.
      const refused = Effect.provideService(run(Effect.andThen(open, new Refused())), CommitDelay, 60_000)
      const [refusal] = yield* Effect.all([Effect.exit(refused), run(open)], { concurrency: "unbounded" })
      assert.isTrue(Exit.isFailure(refusal))
      assert.strictEqual(yield* count, 4)
    }).pipe(
      Effect.provide(persistenceLayer),
      Effect.provideService(BatchObserver, (size) => void sizes.push(size))
    )
  })

  it.effect("commits background work when it is closed", () =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/lane.db`
      yield* Effect.scoped(Effect.gen(function*() {
        const services = yield* Layer.build(Layer.fresh(coreLayer(path)))
        const { run } = Context.get(services, Transaction)
        const delayed = Effect.provideService(Effect.provideContext(run(open), services), CommitDelay, 60_000)
        yield* Effect.forkDetach(delayed, { startImmediately: true })
      }))
      assert.strictEqual(yield* Effect.provide(count, coreLayer(path)), 2)
    }))

  it.effect("puts all that arrives together into one transaction", () =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/lane.db`
      // Every commit writes a page to the log, at least.
      const pages = Effect.sync(() => Math.floor(statSync(`${path}-wal`).size / 4_096))
      const written = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.gen(function*() {
          const before = yield* pages
          yield* work
          return (yield* pages) - before
        })
      yield* Effect.gen(function*() {
        const each = Array.from({ length: 100 }, () => open)
        assert.isBelow(yield* written(together(each)), 10)
        const { run } = yield* Transaction
        assert.isAtLeast(yield* written(Effect.forEach(each, run)), 100)
      }).pipe(Effect.provide(coreLayer(path)))
    }))

  it.effect("resolves every job of a batch after its commit", () =>
    Effect.gen(function*() {
      const exits = yield* together(Array.from({ length: 300 }, () => open))
      assert.isTrue(exits.every(Exit.isSuccess))
      assert.strictEqual(yield* count, 300)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("undoes the writes of a refused job and keeps its neighbours'", () =>
    Effect.gen(function*() {
      const refused = Effect.andThen(open, Effect.fail(new Refused()))
      const exits = yield* together<number, Refused, Accounts>([open, refused, open])
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
      assert.strictEqual(yield* count, 2)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("a job alone that is refused after writing leaves nothing behind", () =>
    Effect.gen(function*() {
      const [exit] = yield* together([Effect.andThen(open, Effect.fail(new Refused()))])
      assert.deepStrictEqual(exit, Exit.fail(new Refused()))
      assert.strictEqual(yield* count, 0)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("a defect stays with the job that has it", () =>
    Effect.gen(function*() {
      const exits = yield* together([open, Effect.andThen(open, Effect.die("bug")), open])
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
      assert.strictEqual(yield* count, 2)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("a database error is StorageUnavailable, and the other jobs' writes remain", () =>
    Effect.gen(function*() {
      const db = yield* Database
      const broken = Effect.andThen(open, Effect.sync(() => db.connection.exec("INSERT INTO nowhere VALUES (1)")))
      const exits = yield* together<unknown, never, Accounts>([open, broken, open])
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
      assert.include(String(exits[1]), "StorageUnavailable")
      assert.strictEqual(yield* count, 2)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("a violation that shows only at COMMIT fails its culprit alone", () =>
    Effect.gen(function*() {
      const db = yield* Database
      db.connection.exec("CREATE TABLE pairs (a INTEGER REFERENCES accounts(id) DEFERRABLE INITIALLY DEFERRED)")
      const culprit = Effect.sync(() => db.connection.exec("INSERT INTO pairs VALUES (999)"))
      const exits = yield* together<unknown, never, Accounts>([open, culprit, open])
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
      assert.strictEqual(yield* count, 2)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("a use case that suspends is a defect and leaves nothing behind", () =>
    Effect.gen(function*() {
      const [exit] = yield* together([Effect.andThen(open, Effect.promise(() => Promise.resolve()))])
      assert.isTrue(Exit.isFailure(exit!))
      assert.strictEqual(yield* count, 0)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("an interrupted caller does not cut its write", () =>
    Effect.gen(function*() {
      const { run } = yield* Transaction
      const fiber = yield* Effect.forkChild(run(open), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* count, 1)
    }).pipe(Effect.provide(persistenceLayer)))
})
