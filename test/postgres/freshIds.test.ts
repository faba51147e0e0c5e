/** A database that continues from an older state assigns no id twice, and lets deployments wait. */
import { assert, describe, it } from "vitest"
import { noPostgres } from "../support/postgresProject.ts"
import { query } from "../support/postgres.ts"
import { seededDatabase } from "../support/replicas.ts"

/** Inserts an order as the service does, and returns its id. */
const INSERT = `INSERT INTO orders (account_id, plan_id, sold_id, status, config, price, charge, created_at, paid_at)
  SELECT 1, 1, (SELECT max(id) FROM sold_plans), 'paid', '{}', 1, 1, 0, 0 RETURNING id`

const RESERVE = `SELECT vps_next_id('instances'::regclass, pg_get_serial_sequence('instances', 'id')::regclass) AS id`

const idsOf = async (sql: string, url: string, times: number): Promise<ReadonlyArray<number>> => {
  const ids: Array<number> = []
  for (let n = 0; n < times; n++) ids.push(Number((await query(sql, url))[0]!["id"]))
  return ids
}

const holds = (url: string) => query("SELECT reason FROM deployment_hold", url)

describe.skipIf(noPostgres)("ids on PostgreSQL (needs PostgreSQL)", () => {
  it("jump once after a failover or a dump, and deployments wait", async () => {
    const url = await seededDatabase()
    for (const insert of [INSERT, RESERVE]) {
      const [first = 0, second] = await idsOf(insert, url, 2)
      assert.strictEqual(second, first + 1)
      // As a promoted replica, and a restored dump, has it.
      await query("UPDATE database_lineages SET lineage = 'another'", url)
      await query("DELETE FROM deployment_hold", url)
      const [third = 0, fourth] = await idsOf(insert, url, 2)
      assert.isAbove(third, first + 100_000)
      assert.strictEqual(fourth, third + 1)
      assert.lengthOf(await holds(url), 1)
    }
  })

  it("jump once when sessions insert at the same time", async () => {
    const url = await seededDatabase()
    const [before = 0] = await idsOf(RESERVE, url, 1)
    await query("UPDATE database_lineages SET lineage = 'another'", url)
    const answers = await Promise.all(Array.from({ length: 8 }, () => query(RESERVE, url)))
    const ids = answers.map(([row]) => Number(row!["id"])).toSorted((one, other) => one - other)
    assert.strictEqual(new Set(ids).size, 8)
    assert.isAbove(ids[0]!, before + 100_000)
    assert.isBelow(ids[7]!, before + 200_000)
  })

  it("continue without a jump in a database that stays", async () => {
    const url = await seededDatabase()
    const [before = 0] = await idsOf(RESERVE, url, 1)
    assert.deepStrictEqual(await idsOf(RESERVE, url, 3), [before + 1, before + 2, before + 3])
    assert.deepStrictEqual(await holds(url), [])
  })
})
