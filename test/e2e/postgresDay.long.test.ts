/**
 * An operator's day with PostgreSQL, under a load of purchases on the built service: acknowledged purchases stay as
 * far as the database has them, no id is sold twice, and every purchase succeeds in the end. Each test prints its row
 * of the table in docs/guarantees.md.
 */
import { setTimeout } from "node:timers/promises"
import { assert, describe, it, onTestFinished } from "vitest"
import { type MovingName, movingName, serverAt } from "../support/movingName.ts"
import { isNginxInstalled } from "../support/nginx.ts"
import { freePort } from "../support/port.ts"
import { isAvailable, type PostgresServer, startPostgres } from "../support/postgres.ts"
import { assertAccepted, LOSING, rowOf, type Situation } from "../support/postgresDay.ts"
import { addCustomers, ask, books, count, enrich, operate, seedDatabase, startReplica } from "../support/replicas.ts"
import { type Purchase, startBuyers } from "../support/requestLoad.ts"
import { restartUnderLoad } from "../support/rollingRestart.ts"
import type { ServiceProcess } from "../support/serviceProcess.ts"
import { until } from "../support/until.ts"

const CUSTOMERS = 4
const BUYERS_OF_EACH = 3
/** Milliseconds of purchases before and after what happens, and of a phase in which the database is away. */
const LOAD_MILLIS = 6_000
const AWAY_MILLIS = 5_000
/** Most milliseconds until a purchase that was repeated is acknowledged. */
const PATIENCE_MILLIS = 60_000
/** Most milliseconds until all that was bought is deployed. */
const DEPLOYED_MILLIS = 120_000

/** The statuses of a service whose database is away, and of one that has not started: the purchase is repeated. */
const REPEATED: ReadonlyArray<number | string> = [201, 503, 504, "ECONNREFUSED", "ECONNRESET"]

interface Seeded {
  readonly server: PostgresServer
  /** The customers' API keys. */
  readonly keys: ReadonlyArray<string>
}

const primary = async (): Promise<Seeded> => {
  const server = await startPostgres({ durable: true })
  onTestFinished(server.close)
  await seedDatabase(server.url)
  const keys = await addCustomers(server.url, CUSTOMERS)
  await enrich(server.url)
  return { server, keys }
}

const standbyOf = async (server: PostgresServer) => {
  const standby = await server.standby()
  onTestFinished(standby.close)
  await until(() => count(server.url, "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"))
  return standby
}

const configure = async (server: PostgresServer, setting: string): Promise<void> => {
  await server.query(`ALTER SYSTEM ${setting}`)
  await server.query("SELECT pg_reload_conf()")
}

/** Two replicas on the database behind a name. */
const replicasOn = (name: MovingName, server: PostgresServer): Promise<ReadonlyArray<ServiceProcess>> =>
  Promise.all([startReplica(name.in(server.url)), startReplica(name.in(server.url))])

const originsOf = (replicas: ReadonlyArray<ServiceProcess>) => replicas.map(({ origin }) => origin)

const startLoad = async (replicas: ReadonlyArray<ServiceProcess>, keys: Seeded["keys"]) => {
  const buyers = startBuyers(originsOf(replicas), keys, BUYERS_OF_EACH)
  await setTimeout(LOAD_MILLIS)
  return buyers
}

type Buyers = ReturnType<typeof startBuyers>

/** Buys for a while longer, once all buyers are back; returns the purchases and the outcome. */
const finish = async (buyers: Buyers, since: number) => {
  const back = await until(() => buyers.backSince(since), (at) => at !== undefined)
  await setTimeout(LOAD_MILLIS)
  const requestsLost = await buyers.stop(PATIENCE_MILLIS)
  assert.includeMembers([...REPEATED], [...buyers.seen.keys()])
  return { bought: buyers.bought, requestsLost, seconds: (back! - since) / 1_000 }
}

const idsIn = async (server: PostgresServer): Promise<ReadonlySet<number>> =>
  new Set((await server.query("SELECT id FROM instances")).map(({ id }) => Number(id)))

const idsOf = (bought: ReadonlyArray<Pick<Purchase, "id">>): ReadonlyArray<number> => bought.map(({ id }) => id)

/** Each instance has its order and its charge, all were acknowledged, and all run. */
const assertSound = async (server: PostgresServer, ids: ReadonlyArray<number>): Promise<void> => {
  const stored = await idsIn(server)
  assert.sameMembers([...stored], ids.filter((id) => stored.has(id)))
  const { charges, orders, unbalanced } = await books(server.url)
  assert.deepStrictEqual({ charges, orders, unbalanced }, { charges: stored.size, orders: stored.size, unbalanced: 0 })
  await until(
    () => count(server.url, "SELECT count(*) FROM instances WHERE lifecycle <> 'active'"),
    (pending) => pending === 0,
    { millis: DEPLOYED_MILLIS, pause: 200 }
  )
}

interface Result {
  readonly bought: ReadonlyArray<Pick<Purchase, "id">>
  readonly requestsLost: number
  readonly seconds: number
}

const assertOutcome = async (situation: Situation, server: PostgresServer, result: Result): Promise<void> => {
  const ids = idsOf(result.bought)
  await assertSound(server, ids)
  const stored = await idsIn(server)
  const outcome = {
    acknowledged: ids.length,
    lost: ids.filter((id) => !stored.has(id)).length,
    soldTwice: ids.length - new Set(ids).size,
    requestsLost: result.requestsLost,
    seconds: result.seconds
  }
  console.log(rowOf(situation, outcome))
  assertAccepted(situation, outcome)
}

/** The tables of the simulated hosts, which a failover does not take back. */
const HOSTS = ["simulated_machines", "simulated_operations", "simulated_power"]

/** Gives a server the hosts as another one has them last. */
const keepHosts = async (from: PostgresServer, to: PostgresServer): Promise<void> => {
  for (const table of HOSTS) {
    const [row] = await from.query(`SELECT coalesce(json_agg(t), '[]')::text AS rows FROM ${table} AS t`)
    await to.query(
      `DELETE FROM ${table}; INSERT INTO ${table}
         SELECT * FROM json_populate_recordset(NULL::${table}, $hosts$${String(row!["rows"])}$hosts$)`
    )
  }
  await to.query(
    "SELECT setval(pg_get_serial_sequence('simulated_machines', 'id'), (SELECT max(id) FROM simulated_machines))"
  )
}

const machinesIn = (server: PostgresServer) =>
  server.query("SELECT tag, address, power, created_at FROM simulated_machines ORDER BY tag")

describe.skipIf(!isAvailable())("purchases (need PostgreSQL)", () => {
  it("stay, when a synchronous standby takes over from a primary that was killed", async () => {
    const { keys, server: old } = await primary()
    const next = await standbyOf(old)
    await configure(old, "SET synchronous_standby_names = '*'")
    await until(() => count(old.url, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"))
    const name = await movingName(serverAt(old.url))
    const buyers = await startLoad(await replicasOn(name, old), keys)
    await old.kill()
    await next.promote()
    name.moveTo(serverAt(next.url))
    const result = await finish(buyers, performance.now())
    await assertOutcome("The primary is killed, and its synchronous standby is promoted", next, result)
  }, 240_000)

  it(
    "are lost with the primary that an asynchronous standby lags behind, and their ids and guests stay theirs",
    async () => {
      const { keys, server: old } = await primary()
      const next = await standbyOf(old)
      const name = await movingName(serverAt(old.url))
      const replicas = await replicasOn(name, old)
      const buyers = await startLoad(replicas, keys)
      // It loses contact for a while, and what it has not received is lost with the primary.
      await next.stop()
      await setTimeout(LOAD_MILLIS)
      await old.kill()
      await next.start()
      await next.promote()
      const received = await idsIn(next)
      const acknowledged = [...buyers.bought]
      // Read alone, where no replica comes.
      await old.start()
      const had = await idsIn(old)
      await keepHosts(old, next)
      await old.stop()
      const guests = await machinesIn(next)
      name.moveTo(serverAt(next.url))
      const since = performance.now()
      const result = await finish(buyers, since)

      // Exactly those purchases are missing that the standby had not received.
      const lost = acknowledged.filter(({ id }) => !received.has(id))
      assert.isTrue(lost.every(({ id }) => had.has(id)))
      const stored = await idsIn(next)
      assert.isTrue([...received].every((id) => stored.has(id)))
      const later = result.bought.slice(acknowledged.length)
      assert.isTrue(later.every(({ id }) => !had.has(id) || received.has(id)))

      // Deployments wait for the operator, who sees the guests without an instance.
      const lostTags = new Set(
        guests.map(({ tag }) => String(tag)).filter((tag) => !received.has(Number(tag.split("-")[1])))
      )
      const found = await operate(next.url, "machines", "audit") as ReadonlyArray<Readonly<Record<string, unknown>>>
      assert.sameMembers(found.filter(({ kind }) => kind === "unknown").map(({ machine }) => machine), [...lostTags])
      const waiting = await count(next.url, "SELECT count(*) FROM instances WHERE lifecycle = 'pending'")
      assert.isAtLeast(waiting, new Set(idsOf(later).filter((id) => !received.has(id))).size)
      await operate(next.url, "machines", "confirm")
      await assertOutcome(LOSING, next, result)

      // The guests of what was lost are as they were, and every instance has one of its own.
      const now = await machinesIn(next)
      const isLost = ({ tag }: Readonly<Record<string, unknown>>) => lostTags.has(String(tag))
      assert.deepStrictEqual(now.filter(isLost), guests.filter(isLost))
      assert.strictEqual(now.length, lostTags.size + stored.size)

      // Its customer repeats a lost purchase, and gets another one.
      const { apiKey, key } = lost[0]!
      const again = await ask(replicas[0]!, "POST", "/instances", {
        body: { service_id: 1 },
        headers: { "idempotency-key": key },
        key: apiKey
      })
      assert.strictEqual(again.status, 201)
      assert.isFalse(had.has(again.body.id))
    },
    240_000
  )

  it("stay and continue, when the name moves and the old primary keeps its sessions", async () => {
    const { keys, server: old } = await primary()
    const next = await standbyOf(old)
    const name = await movingName(serverAt(old.url))
    const buyers = await startLoad(await replicasOn(name, old), keys)
    await configure(old, "SET default_transaction_read_only = on")
    const behind = "SELECT count(*) FROM pg_stat_activity WHERE backend_xid IS NOT NULL UNION ALL "
      + "SELECT pg_current_wal_lsn() - replay_lsn FROM pg_stat_replication"
    // Transactions that were under way end, and the standby gets all of them.
    for (let times = 0; times < 3; times++) {
      await until(
        () => old.query(behind),
        (rows) => rows.length === 2 && rows.every(({ count }) => Number(count) === 0)
      )
      await setTimeout(100)
    }
    await next.promote()
    name.moveTo(serverAt(next.url))
    const result = await finish(buyers, performance.now())
    await assertOutcome("The name moves to a standby, and the old primary keeps its sessions", next, result)
  }, 240_000)

  it("stay and continue after a phase in which the database only reads", async () => {
    const { keys, server } = await primary()
    const name = await movingName(serverAt(server.url))
    const buyers = await startLoad(await replicasOn(name, server), keys)
    await configure(server, "SET default_transaction_read_only = on")
    await setTimeout(AWAY_MILLIS)
    await configure(server, "RESET default_transaction_read_only")
    const result = await finish(buyers, performance.now())
    await assertOutcome("The database only reads for a while", server, result)
  }, 240_000)

  it("begin by themselves when the database starts after the service", async () => {
    const { keys, server } = await primary()
    await server.stop()
    const ports = [await freePort(), await freePort()]
    const starting = Promise.all(ports.map((port) => startReplica(server.url, {}, ["--port", String(port)])))
    const buyers = startBuyers(ports.map((port) => `http://127.0.0.1:${port}`), keys, BUYERS_OF_EACH)
    await until(() => Promise.resolve(buyers.seen.get(503)))
    await setTimeout(AWAY_MILLIS)
    await server.start()
    const result = await finish(buyers, performance.now())
    await starting
    await assertOutcome("The database starts after the service", server, result)
  }, 240_000)

  it.skipIf(!isNginxInstalled)("all succeed while two replicas restart one after the other (needs nginx)", async () => {
    const { server } = await primary()
    const { bought, seen, sent } = await restartUnderLoad(server.url, 2)
    const requestsLost = sent() - (seen.get(200) ?? 0) - (seen.get(201) ?? 0)
    console.log(`requests: ${sent()}`)
    await assertOutcome("Two replicas are restarted one after the other behind nginx", server, {
      bought: bought.map((id) => ({ id })),
      requestsLost,
      seconds: 0
    })
  }, 240_000)
})
