/** A connection is held for statements only, and not while a request waits for anything else. */
import { assert, describe, it } from "vitest"
import { noPostgres } from "../support/postgresProject.ts"
import { ask, count, seededDatabase, startReplica } from "../support/replicas.ts"
import { until } from "../support/until.ts"

const INSTANCES = 12

describe.skipIf(noPostgres)("a replica with two connections (needs PostgreSQL)", () => {
  it("holds none for tasks that wait for the driver", async () => {
    const database = await seededDatabase()
    const replica = await startReplica(database, {
      VPS_SERVICE_DATABASE_CONNECTIONS: "2",
      // Longer than any test.
      VPS_SERVICE_EMULATOR_DEPLOY_MILLIS: "3600000"
    })
    const create = () => ask(replica, "POST", "/instances", { body: { service_id: 1 } })
    await Promise.all(Array.from({ length: INSTANCES }, create))
    const running = () => count(database, "SELECT count(*) FROM tasks WHERE status = 'running'")
    await until(running, (tasks) => tasks === INSTANCES)
    assert.strictEqual((await create()).status, 201)
    assert.lengthOf((await ask(replica, "GET", "/instances")).body, INSTANCES + 1)
    assert.strictEqual(await replica.end(), 0)
  })
})
