/**
 * Loaded into a service or the peer by `--import`: counts the statements that SQLite executes, by text. At SIGUSR2 it
 * writes them as JSON to the file that BENCH_STATEMENTS names, and counts from zero again.
 */
import { renameSync, writeFileSync } from "node:fs"
import { DatabaseSync, StatementSync } from "node:sqlite"

const path = process.env["BENCH_STATEMENTS"]!
let counts: Record<string, number> = {}
const count = (sql: string): void => void (counts[sql] = (counts[sql] ?? 0) + 1)

for (const name of ["all", "get", "iterate", "run"] as const) {
  const original = StatementSync.prototype[name] as (...values: Array<unknown>) => never
  StatementSync.prototype[name] = function(this: StatementSync, ...values: Array<unknown>) {
    count(this.sourceSQL)
    return original.apply(this, values)
  }
}
const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function(this: DatabaseSync, sql: string) {
  count(sql)
  return exec.call(this, sql)
}

process.on("SIGUSR2", () => {
  writeFileSync(`${path}.new`, JSON.stringify(counts))
  renameSync(`${path}.new`, path)
  counts = {}
})
