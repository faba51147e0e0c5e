/** The audit of machines on a database that several services share: the command connects to the hosts itself. */
import { assert, it } from "vitest"
import { runNode, SERVICE } from "../support/command.ts"
import { noPostgres } from "../support/postgresProject.ts"
import { query } from "../support/postgres.ts"
import { SECRET, seededDatabase } from "../support/replicas.ts"
import { assertLike } from "../support/like.ts"

it.skipIf(noPostgres)("machines audit needs no driver in the shell where it runs (needs PostgreSQL)", async () => {
  const database = await seededDatabase()
  const audit = async () => {
    const env = { VPS_SERVICE_DATABASE: database, VPS_SERVICE_SECRET: SECRET }
    const { code, stderr, stdout } = await runNode([...SERVICE, "admin", "machines", "audit", "-o", "json"], { env })
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    return JSON.parse(stdout) as unknown
  }
  assert.deepStrictEqual(await audit(), [])
  await query(
    `INSERT INTO hosts (name, data_center_id, uri, pool, bridge, accelerator, cpus, memory_mib, disk_gib, state,
         created_at)
       SELECT 'alpha', min(id), 'unix:/nonexistent', 'default', 'br0', 'kvm', 1, 1, 1, 'active', 1 FROM data_centers`,
    database
  )
  assertLike(await audit(), [{ kind: "unreachable", hosts: ["alpha"] }])
})
