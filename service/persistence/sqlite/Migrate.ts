import type { DatabaseSync } from "node:sqlite"
import { MIGRATIONS } from "../schema/Migrations.ts"
import { sqlite } from "./Dialect.ts"

const versionOf = (connection: DatabaseSync): number =>
  Number((connection.prepare("PRAGMA user_version").get() as { readonly user_version: number }).user_version)

/**
 * Brings the file to this program's version, each step in its own transaction; throws on a newer file. A test stops at
 * an earlier version, to prove that its rows survive.
 */
export const migrate = (connection: DatabaseSync, version = MIGRATIONS.length): void => {
  const current = versionOf(connection)
  if (current > MIGRATIONS.length) {
    throw new Error(
      `it has schema version ${current}; this program knows up to ${MIGRATIONS.length}. Run the newer version of the `
        + "service that wrote it, or restore a backup from before: vps-service admin restore <backup>."
    )
  }
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < current || index >= version) continue
    connection.exec(`BEGIN IMMEDIATE; ${migration(sqlite.schema)}; PRAGMA user_version = ${index + 1}; COMMIT`)
  }
}
