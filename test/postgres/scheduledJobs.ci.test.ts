/** A scheduled job is executed once, although three replicas schedule it. */
import { assert, describe, it } from "vitest"
import { query } from "../support/postgres.ts"
import { noPostgres } from "../support/postgresProject.ts"
import { ask, books, count, seededDatabase, startReplicas } from "../support/replicas.ts"
import { until } from "../support/until.ts"

const INSTANCES = 8
/** In cents. */
const PRICE = 499

const DUE = "(extract(epoch FROM now()) * 1000)::bigint - 1"

describe.skipIf(noPostgres)("three replicas (needs PostgreSQL)", () => {
  it("renew, back up, let expire, delete and forget once what is due", async () => {
    const database = await seededDatabase()
    const replicas = await startReplicas(3, database, {
      VPS_SERVICE_DATABASE_POLL_MILLIS: "100",
      // A night that two began would be tried again at once.
      VPS_SERVICE_BACKUP_WAIT_MILLIS: "1",
      VPS_SERVICE_EXPIRY_GRACE_MILLIS: "0",
      VPS_SERVICE_IDEMPOTENCY_RETENTION_MILLIS: "0"
    })
    const numbers = Array.from({ length: INSTANCES }, (_, number) => number)
    await Promise.all(numbers.map((number) =>
      ask(replicas[number % 3]!, "POST", "/instances", {
        body: { service_id: 1 },
        headers: { "idempotency-key": `key-${number}` }
      })
    ))
    const tally = (sql: string) => () => count(database, sql)
    await until(
      tally("SELECT count(*) FROM instances WHERE lifecycle = 'active' AND power = 'on'"),
      (running) => running === INSTANCES
    )

    await query(`UPDATE instances SET next_backup_at = ${DUE}`, database)
    await until(tally("SELECT count(*) FROM backups WHERE status = 'available'"), (made) => made === INSTANCES)

    await query(`UPDATE instances SET expires_at = ${DUE}`, database)
    const renewals = "SELECT count(*) FROM journals WHERE kind = 'instance_renew'"
    await until(tally(renewals), (renewed) => renewed === INSTANCES)

    await query(`UPDATE instances SET auto_renew = 0, expires_at = ${DUE}`, database)
    await until(tally("SELECT count(*) FROM instances WHERE lifecycle = 'deleted'"), (gone) => gone === INSTANCES)
    await until(tally("SELECT count(*) FROM idempotency_keys"), (left) => left === 0)

    await Promise.all(replicas.map(({ end }) => end()))
    const perTask = await query("SELECT type, status, count(*)::int AS n FROM tasks GROUP BY 1, 2 ORDER BY 1", database)
    const once = (type: string) => ({ type, status: "succeeded", n: INSTANCES })
    assert.deepStrictEqual(perTask, ["backup_create", "expire", "provision", "renew", "terminate"].map(once))
    assert.deepStrictEqual(await books(database), {
      unbalanced: 0,
      orders: INSTANCES,
      charges: INSTANCES,
      machines: 0,
      wallet: 100_000 - 2 * INSTANCES * PRICE,
      ledger: 100_000 - 2 * INSTANCES * PRICE
    })
  })
})
