/** Three processes of the service on one database are one service. */
import { assert, describe, it } from "vitest"
import { noPostgres } from "../support/postgresProject.ts"
import { ask, books, operate, seededDatabase, startReplicas } from "../support/replicas.ts"
import { until } from "../support/until.ts"
import type { ServiceProcess } from "../support/serviceProcess.ts"
import { assertLike } from "../support/like.ts"

const REPLICAS = 3

/** The statuses of so many creates at once, spread over all replicas, and how often each came. */
const creates = async (
  replicas: ReadonlyArray<ServiceProcess>,
  count: number,
  body: object,
  key?: (number: number) => string
) => {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, number) =>
      ask(replicas[number % REPLICAS]!, "POST", "/instances", {
        body,
        ...(key === undefined ? {} : { headers: { "idempotency-key": key(number) } })
      }))
  )
  const statuses: Record<number, number> = {}
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1
  return { answers, statuses }
}

const started = async (settings: Readonly<Record<string, string>> = {}) => {
  const database = await seededDatabase()
  const replicas = await startReplicas(REPLICAS, database, settings)
  return { database, replicas, end: () => Promise.all(replicas.map((replica) => replica.end())) }
}

/** In cents: what the seed puts into the wallet, and what a dedicated machine costs. */
const WALLET = 100_000
const DEDICATED = { service_id: 5 }
const PRICE = 5_900

describe.skipIf(noPostgres)("three replicas on one PostgreSQL database", () => {
  it("answer creates with one key, spread over all of them, with one instance and one charge", async () => {
    const { database, end, replicas } = await started()
    const { answers, statuses } = await creates(replicas, 12, DEDICATED, () => "one")
    assert.deepStrictEqual(statuses, { 201: 12 })
    assert.strictEqual(new Set(answers.map(({ body }) => body.id)).size, 1)
    assert.lengthOf(answers.filter(({ headers }) => headers.get("idempotent-replayed") !== "true"), 1)
    assert.lengthOf((await ask(replicas[1]!, "GET", "/instances")).body, 1)
    await end()
    assertLike(await books(database), { orders: 1, charges: 1, wallet: WALLET - PRICE })
  })

  it("sell what the wallet pays for to the cent, however many ask at once", async () => {
    const { database, end, replicas } = await started()
    const affordable = Math.floor(WALLET / PRICE)
    const [{ statuses }, meanwhile] = await Promise.all([
      creates(replicas, 24, DEDICATED),
      operate(database, "ledger", "verify")
    ])
    assertLike(meanwhile, { balanced: true })
    assert.deepStrictEqual(statuses, { 201: affordable, 402: 24 - affordable })
    await end()
    const left = WALLET - affordable * PRICE
    assertLike(await books(database), {
      unbalanced: 0,
      orders: affordable,
      charges: affordable,
      wallet: left,
      ledger: left
    })
    assertLike(await operate(database, "ledger", "verify"), { balanced: true })
  })

  it("count an account's creates together", async () => {
    const { end, replicas } = await started({ VPS_SERVICE_RATE_LIMITS: "true" })
    const { answers, statuses } = await creates(replicas, 18, { service_id: 1 })
    assert.deepStrictEqual(statuses, { 201: 10, 429: 8 })
    assert.match(answers.find(({ status }) => status === 429)!.headers.get("retry-after")!, /^\d+$/)
    await end()
  })

  it("reject a key that an operator revokes, on every replica", async () => {
    const { database, end, replicas } = await started()
    const statusesOf = () =>
      Promise.all(replicas.map((replica) => ask(replica, "GET", "/whoami")))
        .then((answers) => answers.map(({ status }) => status))
    assert.deepStrictEqual(await statusesOf(), [200, 200, 200])
    await operate(database, "keys", "revoke", "1")
    assert.deepStrictEqual(await until(statusesOf, (statuses) => !statuses.includes(200)), [401, 401, 401])
    await end()
  })
})
