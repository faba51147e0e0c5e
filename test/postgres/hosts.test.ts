/** A placement reads a few hosts by an index; `test/persistence/candidates.test.ts` has SQLite. */
import { assert, describe, it } from "vitest"
import { noPostgres } from "../support/postgresProject.ts"
import { query } from "../support/postgres.ts"
import { seededDatabase } from "../support/replicas.ts"
import { candidates, fillHosts, HOSTS } from "../support/candidates.ts"

describe("the candidates of a placement (needs PostgreSQL)", () => {
  it.skipIf(noPostgres)("are read in order on PostgreSQL", async () => {
    const url = await seededDatabase()
    const plan = await query(`${fillHosts(`generate_series(1, ${HOSTS}) AS s(n)`)}; EXPLAIN ${candidates}`, url)
    const steps = plan.map((row) => String(row["QUERY PLAN"])).join("\n")
    assert.include(steps, "using hosts_free")
    assert.notInclude(steps, "Sort")
    assert.lengthOf(await query(candidates, url), 3)
  })
})
