/** The last ids that the tables of a database file have assigned. */
import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import type { Sequence } from "../Sql.ts"

/** Undefined for a file that is missing or damaged. */
export const lastIdsIn = (file: string): ReadonlyArray<Sequence> | undefined => {
  if (!existsSync(file)) return undefined
  try {
    const connection = new DatabaseSync(file, { readOnly: true })
    try {
      const rows = connection.prepare("SELECT name, seq FROM sqlite_sequence").all()
      return rows.map(({ name, seq }): Sequence => [String(name), Number(seq)])
    } finally {
      connection.close()
    }
  } catch { // damaged, or not a database
    return undefined
  }
}
