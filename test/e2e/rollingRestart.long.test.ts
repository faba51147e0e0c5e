/**
 * Restarts of replicas behind the proxy of the guide, under load. On a busy computer, a connection that the proxy opens
 * in the moment in which a replica closes its port may be reset: so it runs on a quiet one.
 */
import { assert, describe, it, onTestFinished } from "vitest"
import { isNginxInstalled } from "../support/nginx.ts"
import { isAvailable, startPostgres } from "../support/postgres.ts"
import { enrich, seedDatabase } from "../support/replicas.ts"
import { restartUnderLoad } from "../support/rollingRestart.ts"

describe.skipIf(!isAvailable() || !isNginxInstalled)("a rolling restart (needs PostgreSQL, nginx)", () => {
  it("behind the proxy of the guide loses no request", async () => {
    const server = await startPostgres()
    onTestFinished(server.close)
    await seedDatabase(server.url)
    await enrich(server.url)
    const { seen } = await restartUnderLoad(server.url, 3)
    assert.sameMembers([...seen.keys()], [200, 201])
  }, 180_000)
})
