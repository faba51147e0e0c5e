/** A short bank test; `npm run kills` runs for a minute. */
import { assert, it } from "vitest"
import { onSqlite } from "../programs/kills/OnSqlite.ts"
import { runStorm } from "../programs/kills/storm.ts"

const KILLS = 8

/** Each kill is followed by a start, which takes seconds where others are at work. */
const PATIENCE = 300_000

it("acknowledged changes survive kill -9 of the service, and nothing is bought or paid twice", async () => {
  const cluster = await onSqlite()
  try {
    const figures = await runStorm(cluster, {
      customers: 6,
      seed: 8,
      kills: KILLS,
      pace: (more) => more(20),
      renewalsWithin: 8_000
    })
    assert.deepStrictEqual(figures.kills, { "the service": KILLS })
    assert.isAtLeast(figures.acknowledged, KILLS * 20)
  } finally {
    await cluster.close()
  }
}, PATIENCE)
