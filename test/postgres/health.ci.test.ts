/** A replica reports that it cannot write: the database is full, or read-only. */
import * as Effect from "effect/Effect"
import { chownSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { Sql } from "#service/persistence/Sql"
import { Transaction } from "#service/persistence/Transaction"
import { fill, smallDisk } from "../support/disk.ts"
import { query, startPostgres } from "../support/postgres.ts"
import { serverUser } from "../support/postgresPrograms.ts"
import { freshDatabase, noPostgres } from "../support/postgresProject.ts"
import { type Answer, ask, persistenceOn, seedDatabase, seededDatabase, startReplica } from "../support/replicas.ts"
import { until } from "../support/until.ts"
import type { ServiceProcess } from "../support/serviceProcess.ts"
import { assertExactlyLike, assertLike, containing } from "../support/like.ts"

const create = (replica: ServiceProcess, key: string) =>
  ask(replica, "POST", "/instances", { body: { service_id: 1 }, headers: { "idempotency-key": key } })

const readiness = async (replica: ServiceProcess) => {
  const answer = await fetch(`${replica.origin}/readyz`)
  return { status: answer.status, text: await answer.text() }
}

/** Sets the default of new sessions, and ends the existing ones. */
const onlyReads = async (database: string, isOn: boolean): Promise<void> => {
  const name = new URL(database).pathname.slice(1)
  const elsewhere = new URL("postgres", database).href
  await query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isOn ? "on" : "off"}`, elsewhere)
  await query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = '${name}' AND application_name = 'vps-service'`,
    elsewhere
  )
}

const isRefused = ({ status }: { readonly status: number }) => status === 503
const isDone = ({ status }: { readonly status: number }) => status === 201

const buyUntilRefused = async (replica: ServiceProcess, tries = 0): Promise<Answer> => {
  const answer = await create(replica, `key-${tries}`)
  return isRefused(answer) ? answer : buyUntilRefused(replica, tries + 1)
}

/** Makes the server refuse every probing write from now on, as a full disk would. */
const refuseTouches = (url: string) =>
  Effect.promise(() =>
    query(
      `CREATE FUNCTION full_disk() RETURNS event_trigger LANGUAGE plpgsql AS
         'BEGIN RAISE EXCEPTION ''as asked'' USING ERRCODE = ''53100''; END';
       CREATE EVENT TRIGGER full_disk ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS')
         EXECUTE FUNCTION full_disk()`,
      url
    )
  )
const takeTouches = (url: string) => Effect.promise(() => query("ALTER EVENT TRIGGER full_disk DISABLE", url))
const refuseAgain = (url: string) => Effect.promise(() => query("ALTER EVENT TRIGGER full_disk ENABLE", url))

describe.skipIf(noPostgres)("readiness on PostgreSQL", () => {
  it("probes with a write only after a failed write, until one succeeds", async () => {
    const url = await freshDatabase()
    const program = Effect.gen(function*() {
      const { health, run } = yield* Transaction
      const sql = yield* Sql
      yield* refuseTouches(url)
      // Nothing has failed, so nothing is written, and nothing can be refused.
      yield* health
      const raise = sql.run("DO $$ BEGIN RAISE EXCEPTION 'as asked' USING ERRCODE = '53100'; END $$")
      yield* Effect.flip(run(raise()))
      for (const _ of [1, 2]) {
        assert.strictEqual((yield* Effect.flip(health)).message, "The disk of the database is full.")
      }
      // That a smaller write goes through says nothing.
      yield* run(sql.run("INSERT INTO data_centers (id, label) VALUES (?, ?)")(1, "here"))
      assert.strictEqual((yield* Effect.flip(health)).message, "The disk of the database is full.")
      yield* takeTouches(url)
      yield* health
      yield* refuseAgain(url)
      yield* health
    })
    await Effect.runPromise(Effect.provide(program, persistenceOn(url)))
    const left = await query("SELECT 1 FROM pg_class WHERE relname = 'vps_touch'", url)
    assert.deepStrictEqual(left, [])
  })

  it("reports a read-only database before any write was tried, and continues when it is writable", async () => {
    const database = await seededDatabase()
    const replica = await startReplica(database)
    assert.strictEqual((await create(replica, "before")).status, 201)
    await onlyReads(database, true)
    const told = await until(() => readiness(replica), ({ text }) => text.includes("can only be read"))
    assert.strictEqual(told.status, 503)
    const refused = await until(() => create(replica, "meanwhile"), ({ body }) => /only be read/.test(body.detail))
    assert.strictEqual(refused.status, 503)
    assert.lengthOf((await ask(replica, "GET", "/instances")).body, 1)
    assertLike(await readiness(replica), { status: 503 })
    await onlyReads(database, false)
    await until(() => readiness(replica), ({ status }) => status === 200)
    assert.strictEqual((await until(() => create(replica, "meanwhile"), isDone)).status, 201)
    assert.strictEqual(await replica.end(), 0)
  })

  it("reports a schema that a newer replica has migrated, and continues to serve", async () => {
    const database = await seededDatabase()
    const replica = await startReplica(database)
    assertLike(await readiness(replica), { status: 200 })
    await query("UPDATE vps_schema_version SET version = 9999", database)
    assertLike(await readiness(replica), {
      status: 503,
      text: /has schema version 9999, and this replica knows up to \d+\. Upgrade the replica\./
    })
    assert.strictEqual((await create(replica, "meanwhile")).status, 201)
    assert.strictEqual(await replica.end(), 0)
  })

  it("reports a full disk until space is free, and continues to read", async ({ skip }) => {
    const disk = smallDisk(32)
    if (disk === undefined) return skip("this user may not mount a disk of its own")
    onTestFinished(disk.remove)
    const server = await startPostgres()
    onTestFinished(server.close)
    const space = join(disk.folder, "space")
    mkdirSync(space)
    if (serverUser !== undefined) chownSync(space, serverUser.uid, serverUser.gid)
    await server.query(`CREATE TABLESPACE small LOCATION '${space}'`)
    await server.query("CREATE DATABASE small TABLESPACE small")
    const database = new URL("small", server.url).href
    await seedDatabase(database)
    const replica = await startReplica(database, {
      VPS_SERVICE_LEASE_MILLIS: "3000",
      VPS_SERVICE_UPSTREAM_CALL_MILLIS: "2000"
    })
    assert.strictEqual((await create(replica, "before")).status, 201)
    const makeRoom = fill(disk.folder)
    const refused = await buyUntilRefused(replica)
    assert.include(refused.body.detail, "The disk of the database is full.")
    const told = await readiness(replica)
    assertExactlyLike([told.status, told.text], [503, containing("The disk of the database is full.")])
    assert.strictEqual((await ask(replica, "GET", "/instances")).status, 200)
    const started = await startReplica(database)
    assert.strictEqual((await ask(started, "GET", "/instances")).status, 200)
    assertLike(await until(() => create(started, "more"), isRefused), { body: { detail: /The disk .* is full\./ } })
    assert.strictEqual(await started.end(), 0)
    makeRoom()
    assert.strictEqual((await readiness(replica)).status, 200)
    assert.strictEqual((await create(replica, "afterwards")).status, 201)
    const all = await until(
      async () => (await ask(replica, "GET", "/instances")).body.map(({ status }: { status: string }) => status),
      (states: ReadonlyArray<string>) => states.every((status) => status === "running")
    )
    assert.isAbove(all.length, 1)
    assert.strictEqual(await replica.end(), 0)
  })
})
