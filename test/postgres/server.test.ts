/** The server of these tests: a real one that is killed and restarts with every committed write. */
import { describe, expect, it } from "vitest"
import { makeDatabase, startPostgres } from "../support/postgres.ts"
import { noPostgres } from "../support/postgresProject.ts"

describe.skipIf(noPostgres)("a PostgreSQL server of the tests", () => {
  it("keeps what was committed when it is killed, on the same port", async () => {
    const server = await startPostgres({ durable: true })
    try {
      const url = await server.database()
      await server.query("CREATE TABLE kept (id int); INSERT INTO kept VALUES (1)", url)
      await server.kill()
      await expect(server.query("SELECT 1", url)).rejects.toThrow("ECONNREFUSED")
      await server.start()
      expect(await server.query("SELECT id FROM kept", url)).toEqual([{ id: 1 }])
      expect(await server.query("SELECT id FROM kept", await makeDatabase(server.url, url))).toEqual([{ id: 1 }])
    } finally {
      await server.close()
    }
  })
})
