/** The built service behind PgBouncer, as Debian installs it. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { runCommand } from "../support/command.ts"
import { assertLike } from "../support/like.ts"
import { behindPgBouncer, isPgBouncerInstalled } from "../support/pgbouncer.ts"
import { isAvailable, makeDatabase, type PostgresServer, startPostgres } from "../support/postgres.ts"
import { ask, SECRET, seedDatabase, startReplica } from "../support/replicas.ts"
import { until } from "../support/until.ts"

describe.skipIf(!isAvailable() || !isPgBouncerInstalled)("behind PgBouncer (needs PostgreSQL, pgbouncer)", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.close())

  const started = async (url: string) =>
    runCommand(["--port", "0"], { env: { VPS_SERVICE_DATABASE: url, VPS_SERVICE_SECRET: SECRET } })

  it("in session mode, its default, two replicas work, and listen to each other", async () => {
    const database = await makeDatabase(server.url)
    await seedDatabase(database)
    const url = await behindPgBouncer(database)
    const [one, other] = [await startReplica(url), await startReplica(url)]
    assert.strictEqual((await ask(one, "POST", "/instances", { body: { service_id: 1 } })).status, 201)
    const statuses = async () =>
      (await ask(other, "GET", "/instances")).body.map(({ status }: { readonly status: string }) => status)
    assert.deepStrictEqual(await until(statuses, ([status]) => status === "running"), ["running"])
    const listening = await server.query(
      "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'vps-service' AND query LIKE 'LISTEN%'",
      database
    )
    assert.strictEqual(Number(listening[0]!["n"]), 2)
    for (const replica of [one, other]) assert.strictEqual(await replica.end(), 0)
  })

  it.each([
    ["transaction", "pool_mode = transaction"],
    ["transaction", "pool_mode = transaction\nserver_round_robin = 1"],
    ["transaction", "pool_mode = transaction\ndefault_pool_size = 1"],
    ["statement", "pool_mode = statement"]
  ])("in %s mode, the start is refused with the reason: %s", async (mode, settings) => {
    const url = await behindPgBouncer(await makeDatabase(server.url), ...settings.split("\n"))
    const advice = new RegExp(`behind a pooler in ${mode} mode.*set pool_mode = session`)
    assertLike(await started(url), { code: 78, stderr: advice })
  })

  it("a parameter that it does not pass on is refused with its name", async () => {
    const url = await behindPgBouncer(await makeDatabase(server.url))
    const advice = /a pooler that does not pass on options: .*Remove it from --database/
    assertLike(await started(`${url}?options=-c%20search_path%3Dpublic`), { code: 78, stderr: advice })
  })
})
