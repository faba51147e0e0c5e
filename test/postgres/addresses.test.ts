/** A free address is found by an index, however many are free since the same moment: a new pool's all are. */
import { assert, describe, it } from "@effect/vitest"
import { firstFree } from "#service/persistence/Addresses"
import { noPostgres } from "../support/postgresProject.ts"
import { query } from "../support/postgres.ts"
import { seededDatabase } from "../support/replicas.ts"

const FIRST = firstFree("1", "5")

describe.skipIf(noPostgres)("the first free address of a pool (needs PostgreSQL)", () => {
  it("is found without sorting the others", async () => {
    const url = await seededDatabase()
    const plan = await query(
      `INSERT INTO address_pools (id, network, gateway, prefix, data_center_id, created_at)
         VALUES (1, '10.0.0.0/16', '10.0.255.254', 16, 1, 0);
       INSERT INTO addresses (address, pool_id, instance_id, free_at)
         SELECT '10.0.' || n / 256 || '.' || n % 256, 1, NULL, 0 FROM generate_series(1, 20000) AS n;
       ANALYZE addresses;
       EXPLAIN ${FIRST}`,
      url
    )
    const steps = plan.map((row) => String(row["QUERY PLAN"])).join("\n")
    assert.include(steps, "using addresses_free")
    assert.notInclude(steps, "Sort")
    assert.deepStrictEqual(await query(FIRST, url), [{ address: "10.0.0.1" }])
  })
})
