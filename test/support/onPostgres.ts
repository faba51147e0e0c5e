/** The setup of the projects of PostgreSQL: use cases run on it. Vitest loads this before each file. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { beforeEach } from "vitest"
import * as Database from "#service/persistence/postgres/Database"
import * as Notifications from "#service/persistence/postgres/Notifications"
import * as Pool from "#service/persistence/postgres/Pool"
import * as Start from "#service/persistence/postgres/Startup"
import * as Transaction from "#service/persistence/postgres/Transaction"
import * as Repositories from "#service/persistence/Repositories"
import { setDatabase } from "./database.ts"
import { limitsLayer } from "./limits.ts"
import { query } from "./postgres.ts"
import { freshDatabase, noPostgres } from "./postgresProject.ts"

beforeEach(({ skip }) => skip(noPostgres, "needs PostgreSQL"))

let unanswered = 0
let answered = Promise.withResolvers<void>()

const counting =
  <Arguments extends ReadonlyArray<unknown>, A>(ask: (...args: Arguments) => Promise<A>) =>
  async (...args: Arguments): Promise<A> => {
    if (unanswered++ === 0) answered = Promise.withResolvers()
    try {
      return await ask(...args)
    } finally {
      if (--unanswered === 0) answered.resolve()
    }
  }

const countedPool = (url: string) =>
  Layer.effect(
    Pool.Pool,
    Effect.map(Pool.Pool, ({ connect, ...pool }) => ({
      ...pool,
      connect: counting(async () => {
        const connection = await connect()
        return { ...connection, query: counting(connection.query) }
      })
    }))
  ).pipe(Layer.provide(Pool.layer(url)))

const databaseOf = (url: string) =>
  Layer.provideMerge(Repositories.layer, Layer.mergeAll(Database.layer, Transaction.layer, Notifications.layer)).pipe(
    Layer.provideMerge(Start.layer(url)),
    Layer.provideMerge(countedPool(url)),
    Layer.provideMerge(limitsLayer()),
    Layer.orDie,
    Layer.fresh
  )

/** Without triggers: those of the journals and of the audit log refuse it. */
const EMPTY = `SET session_replication_role = replica;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT c.oid::regclass FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace
      AND c.relkind = 'r' AND c.relname <> 'vps_schema_version' LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
    PERFORM setval(c.oid, 1, false) FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'S';
  END $$`

/** Databases of earlier tests: emptying one takes a third of the time that a new one with the schema takes. */
const free: Array<string> = []

const take = async (): Promise<string> => {
  const used = free.pop()
  if (used === undefined) return freshDatabase()
  await query(EMPTY, used)
  return used
}

const taken = Effect.acquireRelease(Effect.promise(take), (url) => Effect.sync(() => void free.push(url)))

setDatabase({
  url: taken,
  layer: () => Layer.unwrap(Effect.map(taken, databaseOf)),
  answered: () => unanswered === 0 ? undefined : answered.promise
})
