/** The schema's versions, in order. A released migration is never edited: a change is a new one. */
import type { DatabaseSync } from "node:sqlite"
import { initial } from "./migrations/0001_initial.ts"
import { simulatedMachines } from "./migrations/0002_simulated_machines.ts"

const MIGRATIONS: ReadonlyArray<string> = [initial, simulatedMachines]

const versionOf = (connection: DatabaseSync): number =>
  Number((connection.prepare("PRAGMA user_version").get() as { readonly user_version: number }).user_version)

/** Brings the file to this program's version, each step in its own transaction; throws on a newer file. */
export const migrate = (connection: DatabaseSync): void => {
  const current = versionOf(connection)
  if (current > MIGRATIONS.length) {
    throw new Error(
      `The database has schema version ${current}; this program knows up to ${MIGRATIONS.length}. `
        + "Run the newer version of the service that wrote it."
    )
  }
  for (const [index, sql] of MIGRATIONS.entries()) {
    if (index < current) continue
    connection.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${index + 1}; COMMIT`)
  }
}
