/**
 * The bank test for a minute, with a kill every second: `npm run kills`, or `npm run kills -- postgres 60`. Prints its
 * figures; fails when anything that was acknowledged is missing.
 */
import { setTimeout } from "node:timers/promises"
import { onPostgres } from "./OnPostgres.ts"
import { onSqlite } from "./OnSqlite.ts"
import { runStorm } from "./storm.ts"

const [where = "sqlite", seconds = "60"] = process.argv.slice(2)

const CUSTOMERS = 8
const SEED = 1

const cluster = where === "postgres" ? await onPostgres() : await onSqlite()
try {
  const figures = await runStorm(cluster, {
    customers: CUSTOMERS,
    seed: SEED,
    kills: Number(seconds),
    pace: () => setTimeout(1_000),
    renewalsWithin: Number(seconds) * 1_000
  })
  process.stdout.write(`${JSON.stringify({ on: cluster.name, ...figures }, null, 2)}\n`)
} finally {
  await cluster.close()
}
