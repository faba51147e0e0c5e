/** Processes on one PostgreSQL database share notifications and the clock besides its rows. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as App from "#service/App"
import { resolve } from "#service/config/Resolve"
import { ServiceClock } from "#service/persistence/clock/ServiceClock"
import { ReplicaBus } from "#service/persistence/ReplicaBus"
import { Sql } from "#service/persistence/Sql"
import { ServiceRuntime } from "#service/ServiceRuntime"
import { query } from "../support/postgres.ts"
import { freshDatabase, noPostgres } from "../support/postgresProject.ts"
import { persistenceOn, SECRET, seedDatabase } from "../support/replicas.ts"

const replicaOn = (url: string) =>
  Effect.map(Layer.build(persistenceOn(url)), (context) => Context.get(context, ReplicaBus))

type Replica = Effect.Success<ReturnType<typeof replicaOn>>

/** Subscribes, and resolves once the action has run this often. */
const subscribed = Effect.fnUntraced(function*(replica: Replica, news: "tasks" | "keys", times: number) {
  const heard = yield* Deferred.make<void>()
  let count = 0
  yield* replica.subscribe(
    news,
    Effect.suspend(() => ++count === times ? Effect.asVoid(Deferred.succeed(heard, undefined)) : Effect.void)
  )
  return Deferred.await(heard)
})

const LISTENERS =
  "SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"

/** Resolves when so many listen on the database. */
const listening = (url: string, count: number): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.promise(() => query(LISTENERS, url)),
    ([row]) =>
      row!["n"] === count ? Effect.void : Effect.andThen(Effect.sleep(20), Effect.suspend(() => listening(url, count)))
  )

describe.skipIf(noPostgres)("replicas (needs PostgreSQL)", () => {
  it.live("receive the events of other replicas, and not their own", () =>
    Effect.gen(function*() {
      const url = yield* Effect.promise(freshDatabase)
      const [one, other] = [yield* replicaOn(url), yield* replicaOn(url)]
      yield* listening(url, 2)
      let own = 0
      yield* one.subscribe("tasks", Effect.sync(() => void own++))
      const heard = yield* subscribed(other, "tasks", 1)
      yield* one.publish("tasks")
      yield* heard
      // In order: its own event would have arrived before the next one.
      const answered = yield* subscribed(one, "keys", 1)
      yield* other.publish("keys")
      yield* answered
      assert.strictEqual(own, 0)
      assert.isFalse(one.ownsDatabase)
    }).pipe(Effect.scoped))

  it.live("poll when an event may have been missed", () =>
    Effect.gen(function*() {
      const url = yield* Effect.promise(freshDatabase)
      const [replica, other] = [yield* replicaOn(url), yield* replicaOn(url)]
      yield* listening(url, 2)
      // After the first run, with which every session begins.
      const told = yield* subscribed(replica, "tasks", 1)
      yield* other.publish("tasks")
      yield* told
      const again = yield* subscribed(replica, "keys", 1)
      yield* Effect.promise(() =>
        query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'", url)
      )
      yield* again
    }).pipe(Effect.scoped))

  it.live("live on the database's time", () =>
    Effect.gen(function*() {
      const url = yield* Effect.promise(freshDatabase)
      yield* Effect.promise(() => seedDatabase(url))
      const environment = { VPS_SERVICE_DATABASE: url, VPS_SERVICE_SECRET: SECRET }
      const context = yield* Layer.build(
        Layer.fresh(App.layer(resolve(["--port=0", "--driver=simulated"], environment)))
      )
      const { run } = Context.get(context, ServiceRuntime)
      const clock = yield* run(Clock.Clock)
      assert.instanceOf(clock, ServiceClock)
      const asked = persistenceOn(url)
      const now = Effect.flatMap(Sql, (sql) => sql.one<[number]>("SELECT extract(epoch FROM now()) * 1000")())
      const before = (yield* Effect.provide(now, asked))![0]
      const shown = clock.currentTimeMillisUnsafe()
      const after = (yield* Effect.provide(now, asked))![0]
      assert.isTrue(before - TOLERANCE <= shown && shown <= after + TOLERANCE, `${before} ${shown} ${after}`)
    }).pipe(Effect.scoped))
})

/** In milliseconds: both machines are this one, and half of a question's way is all that can be wrong. */
const TOLERANCE = 1_000
