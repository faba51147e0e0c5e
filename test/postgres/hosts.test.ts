/** A placement reads a few hosts by an index, however many there are, on both databases. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { CANDIDATES } from "#service/persistence/Hosts"
import { Database } from "#service/persistence/sqlite/Database"
import { noPostgres } from "../support/postgresProject.ts"
import { query } from "../support/postgres.ts"
import { seededDatabase } from "../support/replicas.ts"
import { coreLayer } from "../support/service.ts"

const HOSTS = 2_000

/** The hosts of a machine with 2 CPUs, 4 GiB of memory and a disk of 40 GiB, with an image. */
const VALUES = [1, "debian-12", 2, 4_096, 40, 3] as const
const withValues = CANDIDATES.replaceAll(/\?(\d)/g, (_, place: string) => {
  const value = VALUES[Number(place) - 1]!
  return typeof value === "string" ? `'${value}'` : String(value)
})

const fill = (numbers: string) =>
  `INSERT INTO hosts (id, name, data_center_id, uri, pool, bridge, accelerator, cpus, memory_mib, disk_gib, state,
     created_at)
   SELECT n, 'host-' || n, 1, 'unix:/' || n, 'default', 'br0', 'kvm', 64, 262144 - n * 7919 % ${HOSTS}, 4000,
     'active', 0 FROM ${numbers};
   INSERT INTO host_images (host_id, slug, kind, sha256, volume, created_at)
   SELECT n, 'debian-12', 'disk', '0', 'debian-12', 0 FROM ${numbers};
   ANALYZE`

describe("the candidates of a placement", () => {
  it.effect("are read in order on SQLite", () =>
    Effect.gen(function*() {
      const { connection } = yield* Database
      connection.exec("CREATE TEMP TABLE numbers (n INTEGER)")
      connection.exec(
        `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${HOSTS})
         INSERT INTO numbers SELECT n FROM c`
      )
      connection.exec(fill("numbers"))
      const steps = connection.prepare(`EXPLAIN QUERY PLAN ${withValues}`).all().map(({ detail }) => String(detail))
      assert.include(steps.join("\n"), "USING INDEX hosts_free")
      assert.notInclude(steps.join("\n"), "TEMP B-TREE")
      assert.lengthOf(connection.prepare(withValues).all(), 3)
    }).pipe(Effect.provide(coreLayer())))

  it.skipIf(noPostgres)("are read in order on PostgreSQL", async () => {
    const url = await seededDatabase()
    const plan = await query(`${fill(`generate_series(1, ${HOSTS}) AS s(n)`)}; EXPLAIN ${withValues}`, url)
    const steps = plan.map((row) => String(row["QUERY PLAN"])).join("\n")
    assert.include(steps, "using hosts_free")
    assert.notInclude(steps, "Sort")
    assert.lengthOf(await query(withValues, url), 3)
  })
})
