/** Use cases on PostgreSQL: as if one ran after the other, all or nothing, never a defect for want of a database. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import { Accounts } from "#service/persistence/Accounts"
import { Instances } from "#service/persistence/Instances"
import { Sql } from "#service/persistence/Sql"
import { Transaction } from "#service/persistence/Transaction"
import { account, instance, NOW, stock } from "../persistence/suite/Fixtures.ts"
import { query } from "../support/postgres.ts"
import { freshDatabase, noPostgres } from "../support/postgresProject.ts"
import { persistenceOn } from "../support/replicas.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const { DATABASE_CONNECTIONS, DATABASE_TRIES } = DEFAULT_LIMITS

/** Runs on a database of its own, with one data center. */
const onDatabase = <A, E>(
  test: (url: string) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof persistenceOn>>>
) =>
  Effect.gen(function*() {
    const url = yield* Effect.promise(freshDatabase)
    const prepared = Effect.flatMap(Sql, (sql) => sql.run("INSERT INTO data_centers (id, label) VALUES (?, ?)")(1, "0"))
    return yield* Effect.provide(Effect.andThen(prepared, test(url)), persistenceOn(url))
  })

const RUNS = 8
const many = Array.from({ length: RUNS }, (_, index) => index)
const together = { concurrency: "unbounded" } as const

const label = Effect.flatMap(Sql, (sql) => sql.one<[string]>("SELECT label FROM data_centers WHERE id = 1")())
const setLabel = (text: string) =>
  Effect.flatMap(Sql, (sql) => sql.run("UPDATE data_centers SET label = ? WHERE id = 1")(text))
const labels = Effect.flatMap(Sql, (sql) => sql.all<[string]>("SELECT label FROM data_centers ORDER BY id")())

/** The server's own error with this code. */
const raise = (state: string) =>
  Effect.flatMap(Sql, (sql) => sql.run(`DO $$ BEGIN RAISE EXCEPTION 'as asked' USING ERRCODE = '${state}'; END $$`)())

const hangUp = Effect.flatMap(Sql, (sql) => sql.one("SELECT pg_terminate_backend(pg_backend_pid())")())

describe.skipIf(noPostgres)("use cases on PostgreSQL", () => {
  it.live("that read what others write at the same time come out as if one ran after the other", () =>
    onDatabase(() =>
      Effect.gen(function*() {
        const { run } = yield* Transaction
        const count = Effect.flatMap(label, (row) => setLabel(String(Number(row![0]) + 1)))
        yield* Effect.forEach(many, () => run(count), together)
        assert.deepStrictEqual(yield* label, [String(RUNS)])
      })
    ))

  it.live("that lock an account each succeed at their first attempt", () =>
    onDatabase(() =>
      Effect.gen(function*() {
        const { run, runLocking } = yield* Transaction
        const accounts = yield* Accounts
        const vat = { treatment: "domestic", rate: 1900 } as const
        const id = yield* run(accounts.create({ email: "a@example.test", currency: "EUR", vat, at: 0 }))
        let attempts = 0
        const next = Effect.suspend(() => {
          attempts++
          return Effect.flatMap(
            accounts.find(id),
            (found) => accounts.setCreateArrivals(id, found!.creates.minuteArrival + 1, 0)
          )
        })
        yield* Effect.forEach(many, () => runLocking({ account: id })(next), together)
        assert.strictEqual(attempts, RUNS)
        assert.strictEqual((yield* accounts.find(id))!.creates.minuteArrival, RUNS)
      })
    ))

  it.live("that wait for the same lock hold two connections, and leave the others to other accounts", () =>
    onDatabase((url) =>
      Effect.gen(function*() {
        const { run, runLocking } = yield* Transaction
        yield* stock
        const [busy, other] = [yield* account(), yield* account()]
        const release = yield* Deferred.make<void>()
        const waiting = Effect.andThen(label, Deferred.await(release))
        const works = Array.from({ length: 3 * DATABASE_CONNECTIONS }, () => runLocking({ account: busy })(waiting))
        const all = yield* Effect.forkChild(Effect.all(works, together), { startImmediately: true })
        yield* Effect.sleep(200)
        const held = `SELECT count(*)::int AS held FROM pg_stat_activity
          WHERE datname = current_database() AND state <> 'idle' AND query LIKE '%FOR NO KEY UPDATE%'`
        // The first one waits in its use case, and the second one for the lock.
        const [row] = yield* Effect.promise(() => query(held, url))
        assert.isAtMost(Number(row!["held"]), 2)
        yield* runLocking({ account: other })(label)
        yield* run(label)
        yield* Deferred.succeed(release, undefined)
        assert.lengthOf(yield* Fiber.join(all), works.length)
      })
    ))

  it.live("that lock an instance with its account have others who paid meanwhile begin again", () =>
    onDatabase(() =>
      Effect.gen(function*() {
        const { run, runLocking } = yield* Transaction
        const { credit } = yield* Accounts
        const { subscriptions } = yield* Instances
        yield* stock
        const accountId = yield* account()
        const { id } = yield* instance(accountId)
        const read = yield* Deferred.make<void>()
        const expired = yield* Deferred.make<void>()
        const seen: Array<string | undefined> = []
        // As a top-up does, which revives what has expired.
        const payment = Effect.gen(function*() {
          seen.push((yield* subscriptions.find(id))?.lifecycle)
          yield* Deferred.succeed(read, undefined)
          yield* Deferred.await(expired)
          yield* credit(accountId, 1)
        })
        const paying = yield* Effect.forkChild(run(payment))
        yield* Deferred.await(read)
        yield* runLocking({ instanceWithAccount: id })(subscriptions.expire(id, NOW))
        yield* Deferred.succeed(expired, undefined)
        yield* Fiber.join(paying)
        assert.deepStrictEqual(seen, ["pending", "expired"])
      })
    ))

  it.live("that reserve ids insert rows with them, in order, and read together", () =>
    onDatabase(() =>
      Effect.gen(function*() {
        const { reserveIds, run, together } = yield* Transaction
        const accounts = yield* Accounts
        const vat = { treatment: "domestic", rate: 1900 } as const
        const create = accounts.create({ email: "a@example.test", currency: "EUR", vat, at: 0 })
        const ids = yield* run(Effect.gen(function*() {
          yield* reserveIds(["accounts"])
          const first = yield* create
          const second = yield* create
          const { one, other } = yield* together({ one: accounts.find(first), other: accounts.find(second) })
          return [first, second, one?.id, other?.id]
        }))
        assert.deepStrictEqual(ids, [1, 2, 1, 2])
      })
    ))

  it.live("that race for what can be there once find what the first one made", () =>
    onDatabase(() =>
      Effect.gen(function*() {
        const { run } = yield* Transaction
        const sql = yield* Sql
        const find = sql.one<[number]>("SELECT id FROM data_centers WHERE label = ?")
        const insert = sql.run("INSERT INTO data_centers (id, label) VALUES (?, ?)")
        const findOrMake = (id: number) =>
          Effect.flatMap(
            find("new"),
            (row) => row === undefined ? Effect.as(insert(id, "new"), id) : Effect.succeed(row[0])
          )
        const found = yield* Effect.forEach(many, (number) => run(findOrMake(100 + number)), together)
        assert.strictEqual(new Set(found).size, 1)
        assert.deepStrictEqual((yield* labels).flat(), ["0", "new"])
      })
    ))

  it.live("leave nothing behind when they fail, or meet a defect", () =>
    onDatabase(() =>
      Effect.gen(function*() {
        const { run } = yield* Transaction
        const refused = yield* Effect.flip(run(Effect.andThen(setLabel("kept?"), Effect.fail("no"))))
        assert.strictEqual(refused, "no")
        const defect = new Error("a defect")
        const died = yield* run(Effect.andThen(setLabel("kept?"), Effect.die(defect))).pipe(
          Effect.catchDefect(Effect.succeed)
        )
        assert.strictEqual(died, defect)
        assert.deepStrictEqual(yield* label, ["0"])
      })
    ))

  it.live("are rolled back when a statement was rejected, even if they continued", () =>
    onDatabase(() =>
      Effect.gen(function*() {
        const { run } = yield* Transaction
        const stubborn = Effect.andThen(setLabel("kept?"), Effect.catchDefect(raise("22012"), () => Effect.void))
        const error = yield* Effect.flip(run(stubborn))
        assert.include(error.message, "22012")
        assert.deepStrictEqual(yield* label, ["0"])
      })
    ))

  it.live("fail as unavailable when every attempt has a conflict", () =>
    onDatabase(() =>
      Effect.gen(function*() {
        const { run } = yield* Transaction
        let runs = 0
        const error = yield* Effect.flip(run(Effect.suspend(() => {
          runs++
          return raise("40001")
        })))
        assert.strictEqual(error._tag, "StorageUnavailable")
        assert.strictEqual(runs, DATABASE_TRIES)
      })
    ))

  it.live("do not write into what comes after them", () =>
    onDatabase(() =>
      Effect.gen(function*() {
        const { run } = yield* Transaction
        const go = yield* Deferred.make<void>()
        const late = Effect.andThen(Deferred.await(go), setLabel("late"))
        const fiber = yield* run(Effect.forkDetach(Effect.catchDefect(late, (defect) => Effect.succeed(defect))))
        yield* Deferred.succeed(go, undefined)
        assert.include(String(yield* Fiber.join(fiber)), "after the end of its transaction")
        assert.deepStrictEqual(yield* label, ["0"])
      })
    ))
})

const STATES: ReadonlyArray<readonly [state: string, message: string]> = [
  ["53100", "The disk of the database is full."],
  ["25006", "The database can only be read."],
  ["57P03", "The database does not answer."],
  ["55P03", "The database cannot do this now (55P03)."]
]

describe.skipIf(noPostgres)("a database that cannot be used now (needs PostgreSQL)", () => {
  it.live.each(STATES)("is not a defect: %s", ([state, message]) =>
    onDatabase(() =>
      Effect.gen(function*() {
        const { run } = yield* Transaction
        const error = yield* Effect.flip(run(Effect.andThen(setLabel("kept?"), raise(state))))
        assert.deepStrictEqual([error._tag, error.message, error.inDoubt], ["StorageUnavailable", message, undefined])
        // The same outside of a transaction, where a failure is a defect.
        const defect = yield* Effect.catchDefect(raise(state), Effect.succeed)
        assert.include(String(defect), message)
        assert.deepStrictEqual(yield* label, ["0"])
      })
    ))

  it.live("takes what was not committed with it, and is used again when it is back", () =>
    onDatabase(() =>
      Effect.gen(function*() {
        const { run } = yield* Transaction
        const error = yield* Effect.flip(run(Effect.andThen(setLabel("kept?"), hangUp)))
        assert.deepStrictEqual([error._tag, error.inDoubt], ["StorageUnavailable", undefined])
        assert.deepStrictEqual(yield* label, ["0"])
        yield* run(setLabel("1"))
        assert.deepStrictEqual(yield* label, ["1"])
      })
    ))

  it.live("leaves the outcome in doubt when the response to the commit is lost", () =>
    onDatabase((url) =>
      Effect.gen(function*() {
        const { run } = yield* Transaction
        yield* Effect.promise(() =>
          query(
            `CREATE FUNCTION hang_up() RETURNS trigger LANGUAGE plpgsql AS
               'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
             CREATE CONSTRAINT TRIGGER at_commit AFTER UPDATE ON data_centers DEFERRABLE INITIALLY DEFERRED
               FOR EACH ROW EXECUTE FUNCTION hang_up()`,
            url
          )
        )
        const error = yield* Effect.flip(run(setLabel("kept?")))
        assert.deepStrictEqual([error._tag, error.inDoubt], ["StorageUnavailable", true])
      })
    ))
})
