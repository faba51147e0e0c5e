/** A day with 1,000 instances: what the service remembers, on disk and in memory, does not grow with time. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { clientOf, hour, INSTANCES, memoryOf, open, SNAPSHOTS_PER_HOUR, TASKS_PER_HOUR } from "../support/day.ts"
import { type ServiceProcess, startServiceWith } from "../support/serviceProcess.ts"
import { assertLike } from "../support/like.ts"

/** Retention times of days or months are shortened to this, so that half a day shows the deletions. */
const RETENTION_MILLIS = String(6 * 3_600_000)

/** More requests than this test sends: they are counted, but never rejected. */
const MANY = "1000000"

/** Heap growth by the compiler on a busy computer, with the same data: 60 bytes for each request. */
const HEAP_SLACK = 3_000_000

/** Pages come and go with the garbage between two collections. */
const RSS_SLACK = 32_000_000

const of = (count: number, ...tables: ReadonlyArray<string>) => Object.fromEntries(tables.map((name) => [name, count]))

const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-day-"))
const database = join(folder, "day.db")

/** The current content of the file and its log. The service has exclusive access, so a copy is read. */
const rowCounts = (): Record<string, number> => {
  const copy = join(folder, "copy.db")
  for (const suffix of ["", "-wal"]) copyFileSync(`${database}${suffix}`, `${copy}${suffix}`)
  const db = new DatabaseSync(copy)
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all()
  const counts = tables.map(({ name }) =>
    [String(name), Number(db.prepare(`SELECT count(*) AS n FROM ${name}`).get()!["n"])] as const
  )
  db.close()
  for (const suffix of ["", "-wal"]) rmSync(`${copy}${suffix}`, { force: true })
  return Object.fromEntries(counts)
}

describe("24 hours with 1,000 instances", () => {
  let service: ServiceProcess
  beforeAll(async () => {
    const collect = fileURLToPath(new URL("../support/collectGarbage.ts", import.meta.url))
    service = await startServiceWith({
      node: ["--expose-gc", "--import", collect],
      env: {
        VPS_SERVICE_ACCOUNT_REQUESTS_PER_MINUTE: MANY,
        VPS_SERVICE_ACCOUNT_REQUESTS_BURST: MANY,
        VPS_SERVICE_UNAUTHENTICATED_PER_MINUTE: MANY,
        VPS_SERVICE_UNAUTHENTICATED_BURST: MANY,
        VPS_SERVICE_CREATES_PER_MINUTE: MANY,
        VPS_SERVICE_CREATES_PER_HOUR: MANY,
        VPS_SERVICE_FEED_RETENTION_MILLIS: RETENTION_MILLIS,
        VPS_SERVICE_SIMULATED_KEY_RETENTION_MILLIS: RETENTION_MILLIS,
        VPS_SERVICE_SIMULATED_POWER_RETENTION_MILLIS: RETENTION_MILLIS
      }
    }, ["--emulator", "--database", database, "--rate-limits"])
  })
  afterAll(async () => {
    await service?.end()
    rmSync(folder, { recursive: true, force: true })
  })

  it("leave the tables exactly as large as 12 hours do, and the memory in use no larger", async () => {
    const { ask, close } = clientOf(service)
    await open(ask)
    const halfDay = async () => {
      // Garbage is collected every hour: otherwise the resident memory depends on its random amount.
      for (let passed = 0; passed < 11; passed++) await hour(ask).then(() => memoryOf(service))
      await hour(ask)
      return { rows: rowCounts(), ...await memoryOf(service) }
    }
    const noon = await halfDay()
    const midnight = await halfDay()
    await close()
    assert.deepStrictEqual(midnight.rows, noon.rows)
    assertLike(noon.rows, {
      ...of(INSTANCES, "instances", "orders", "idempotency_keys", "simulated_machines"),
      // One night is behind them.
      ...of(INSTANCES, "backups", "simulated_images"),
      // Rows at exactly the maximum age are deleted: of the hour that began then, the second half remains.
      tasks: 5 * TASKS_PER_HOUR + SNAPSHOTS_PER_HOUR,
      // Two for the wallet, one for each create: replays and dry runs charge nothing.
      journals: INSTANCES + 2
    })
    assert.isBelow(midnight.heapUsed, noon.heapUsed + HEAP_SLACK)
    assert.isBelow(midnight.rss, noon.rss + RSS_SLACK)
  }, 300_000)
})
