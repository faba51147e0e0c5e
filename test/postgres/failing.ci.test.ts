/** Failures with three replicas: of one of them, or of the database. Every acknowledged write survives. */
import { assert, describe, it } from "vitest"
import { noPostgres } from "../support/postgresProject.ts"
import { ask, books, count, seededDatabase, startReplica, startReplicas } from "../support/replicas.ts"
import { until } from "../support/until.ts"
import type { ServiceProcess } from "../support/serviceProcess.ts"
import { assertLike } from "../support/like.ts"

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

const create = (replica: ServiceProcess, key: string) =>
  ask(replica, "POST", "/instances", { body: { service_id: 1 }, headers: { "idempotency-key": key } })

const statusesAt = async (replica: ServiceProcess): Promise<ReadonlyArray<string>> =>
  (await ask(replica, "GET", "/instances")).body.map(({ status }: { status: string }) => status)

const allRunning = (statuses: ReadonlyArray<string>) => statuses.every((status) => status === "running")

/** The maximum number of provisions of one instance. */
const MOST_PROVISIONS =
  `SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM tasks WHERE type = 'provision' GROUP BY instance_id) AS t`

const INSTANCES = 12

/** Short enough for a test, long enough that no live replica loses one. */
const SHORT_LEASES = { VPS_SERVICE_LEASE_MILLIS: "3000", VPS_SERVICE_UPSTREAM_CALL_MILLIS: "2000" }

describe.skipIf(noPostgres)("three replicas of which one goes (needs PostgreSQL)", () => {
  it("frozen for longer than its leases: its writes after it resumes are ignored", async () => {
    const database = await seededDatabase()
    // The transaction of a frozen replica is rolled back, so that it blocks no other one.
    const [frozen, ...rest] = await startReplicas(3, database, {
      ...SHORT_LEASES,
      VPS_SERVICE_DATABASE_STATEMENT_MILLIS: "2000"
    })
    await Promise.all(numbers(INSTANCES).map((number) => create(frozen!, `key-${number}`)))
    process.kill(frozen!.pid, "SIGSTOP")
    assert.lengthOf(await until(() => statusesAt(rest[0]!), allRunning), INSTANCES)
    process.kill(frozen!.pid, "SIGCONT")
    assert.lengthOf(await until(() => statusesAt(frozen!), allRunning), INSTANCES)
    await Promise.all([frozen!, ...rest].map(({ end }) => end()))
    assert.strictEqual(await count(database, MOST_PROVISIONS), 1)
    assert.strictEqual(await count(database, "SELECT count(*) FROM tasks WHERE status <> 'succeeded'"), 0)
    assertLike(await books(database), { unbalanced: 0, charges: INSTANCES, machines: INSTANCES })
  })

  it("that is stopped hands its work over immediately, and the others respond meanwhile", async () => {
    const database = await seededDatabase()
    // A lease that is not handed over would outlast the test.
    const settings = { VPS_SERVICE_LEASE_MILLIS: "6000000" }
    const [leaving, ...rest] = await startReplicas(3, database, settings)
    await Promise.all(numbers(INSTANCES).map((number) => create(leaving!, `key-${number}`)))
    const [code, ...answers] = await Promise.all([
      leaving!.end("SIGTERM"),
      ...numbers(INSTANCES).map((number) => create(rest[number % 2]!, `key-${number}`))
    ])
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(answers.map(({ status }) => status), numbers(INSTANCES).map(() => 201))
    const successor = await startReplica(database, settings)
    assert.lengthOf(await until(() => statusesAt(successor), allRunning), INSTANCES)
    await Promise.all([successor, ...rest].map(({ end }) => end()))
    assertLike(await books(database), { orders: INSTANCES, charges: INSTANCES, machines: INSTANCES })
  })
})
