/** The bank test on three replicas, a short one: `npm run kills -- postgres` continues for a minute. */
import { assert, describe, it } from "vitest"
import { onPostgres } from "../programs/kills/OnPostgres.ts"
import { runStorm } from "../programs/kills/storm.ts"
import { noPostgres } from "../support/postgresProject.ts"

const KILLS = 8

/** Each kill is followed by a start, which takes seconds where others are at work. */
const PATIENCE = 300_000

describe.skipIf(noPostgres)("kill -9 of replicas and of the database server (needs PostgreSQL)", () => {
  it("takes nothing that was acknowledged, and nothing is bought or paid twice", async () => {
    const cluster = await onPostgres()
    try {
      const figures = await runStorm(cluster, {
        customers: 6,
        seed: 8,
        kills: KILLS,
        pace: (more) => more(15),
        renewalsWithin: 8_000
      })
      assert.deepStrictEqual(figures.kills, { "a replica": 6, "PostgreSQL": 2 })
      assert.isAtLeast(figures.acknowledged, KILLS * 15)
    } finally {
      await cluster.close()
    }
  }, PATIENCE)
})
