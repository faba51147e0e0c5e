/** A placement reads a few hosts by an index, however many there are; `test/postgres/hosts.test.ts` has PostgreSQL. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Database } from "#service/persistence/sqlite/Database"
import { candidates, fillHosts, HOSTS } from "../support/candidates.ts"
import { coreLayer } from "../support/service.ts"

describe("the candidates of a placement", () => {
  it.effect("are read in order on SQLite", () =>
    Effect.gen(function*() {
      const { connection } = yield* Database
      connection.exec("CREATE TEMP TABLE numbers (n INTEGER)")
      connection.exec(
        `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${HOSTS})
         INSERT INTO numbers SELECT n FROM c`
      )
      connection.exec(fillHosts("numbers"))
      const steps = connection.prepare(`EXPLAIN QUERY PLAN ${candidates}`).all().map(({ detail }) => String(detail))
      assert.include(steps.join("\n"), "USING INDEX hosts_free")
      assert.notInclude(steps.join("\n"), "TEMP B-TREE")
      assert.lengthOf(connection.prepare(candidates).all(), 3)
    }).pipe(Effect.provide(coreLayer())))
})
