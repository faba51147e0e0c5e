/** A create waits for few answers of the database, what happens at once does not conflict, and no work is cheap. */
import { setTimeout } from "node:timers/promises"
import { assert, describe, it, onTestFinished } from "vitest"
import { type Exchange, startProxy } from "../programs/bench/proxy.ts"
import { query } from "../support/postgres.ts"
import { noPostgres } from "../support/postgresProject.ts"
import { ask, books, count, seededDatabase, startReplica } from "../support/replicas.ts"
import { until } from "../support/until.ts"

/** Milliseconds that each chunk takes each way: without it, answers arrive between the writes of one flight. */
const DELAY = 2
const COUNTED = 5
const AT_ONCE = 40
const POLL_MILLIS = 200
const POLLS = 10
/** In cents. */
const PRICE = 499

const sum = (exchanges: ReadonlyArray<Exchange>, of: (exchange: Exchange) => number): number =>
  exchanges.reduce((total, exchange) => total + of(exchange), 0)

const average = (exchanges: ReadonlyArray<Exchange>): number => sum(exchanges, ({ trips }) => trips) / COUNTED
const isOrder = ({ texts }: Exchange): boolean => texts.some((text) => text.includes("INTO orders"))

/** A replica whose statements are counted, and whose instances are deployed at once. */
const started = async (settings: Readonly<Record<string, string>> = {}) => {
  const database = await seededDatabase()
  await query("INSERT INTO simulated_deploy (id, mode, value) VALUES (1, 'instant', 0)", database)
  const proxy = await startProxy(database)
  onTestFinished(proxy.close)
  const replica = await startReplica(proxy.url, settings)
  const create = async () => {
    const body = { service_id: 1 }
    const { status } = await ask(replica, "POST", "/instances", {
      body,
      headers: { "idempotency-key": crypto.randomUUID() }
    })
    assert.strictEqual(status, 201)
  }
  const idle = () =>
    until(() => count(database, "SELECT count(*) FROM tasks WHERE finished_at IS NULL"), (open) => open === 0)
  const createInTurn = async () => {
    for (let index = 0; index < COUNTED; index++) {
      await create()
      await idle()
    }
  }
  const createAtOnce = async () => {
    await Promise.all(Array.from({ length: AT_ONCE }, create))
    await idle()
  }
  return { database, proxy, createInTurn, createAtOnce }
}

describe.skipIf(noPostgres)("on PostgreSQL", () => {
  it("a create has at most 4 round trips, and 24 until it is deployed and its mail is sent", async () => {
    const { createInTurn, proxy } = await started()
    // The first ones prepare statements.
    await createInTurn()
    proxy.delay = DELAY
    proxy.take()
    await createInTurn()
    const all = proxy.take()
    const orders = all.filter(isOrder)
    assert.lengthOf(orders, COUNTED)
    assert.isAtMost(average(orders), 4)
    assert.isAtMost(average(all), 24)
  })

  it("creates of one account at once, their deployments, and renewals do not conflict", async () => {
    const { createAtOnce, database, proxy } = await started()
    const errors = () => proxy.take().flatMap(({ error }) => error ?? [])
    await createAtOnce()
    assert.deepStrictEqual(errors(), [])
    await query("UPDATE instances SET expires_at = (extract(epoch FROM now()) * 1000)::bigint - 1", database)
    const renewed = () => count(database, "SELECT count(*) FROM journals WHERE kind = 'instance_renew'")
    await until(renewed, (renewals) => renewals === AT_ONCE)
    assert.deepStrictEqual(errors(), [])
    const wallet = 100_000 - 2 * AT_ONCE * PRICE
    assert.deepInclude(await books(database), { unbalanced: 0, orders: AT_ONCE, wallet, ledger: wallet })
  })

  it("a replica without work sends one statement for each poll", async () => {
    const { createInTurn, proxy } = await started({ VPS_SERVICE_DATABASE_POLL_MILLIS: String(POLL_MILLIS) })
    await createInTurn()
    await setTimeout(2 * POLL_MILLIS)
    proxy.take()
    await setTimeout(POLLS * POLL_MILLIS)
    const statements = sum(proxy.take(), (exchange) => exchange.statements)
    assert.isAbove(statements, 0)
    assert.isAtMost(statements, POLLS + 1)
  })
})
