/** What is read with every create and hardly ever changed is kept in memory until a row of its tables changes. */
import type { Database } from "./Database.ts"

const EVENTS = ["INSERT", "UPDATE", "DELETE"] as const

/**
 * What `read` answers, as long as not one row of the tables was changed; undefined for the moment after a change.
 * Exact: SQLite itself tells of every change, and it is read between transactions only, never what may yet be undone.
 */
export const keepUntilChanged = <A>(
  { connection }: Database["Service"],
  tables: ReadonlyArray<string>,
  read: () => A
): () => A | undefined => {
  let kept: A | undefined
  let isDue = false
  const fill = (): void => {
    isDue = false
    if (connection.isOpen && !connection.isTransaction) kept = read()
  }
  const due = (): void => {
    if (isDue) return
    isDue = true
    setImmediate(fill)
  }
  const name = `forget_${tables.join("_")}`
  connection.function(name, () => {
    kept = undefined
    due()
    return null
  })
  for (const table of tables) {
    for (const event of EVENTS) {
      // Of this connection only, and so of this process only: it is the one that owns the file.
      connection.exec(
        `CREATE TEMP TRIGGER ${name}_${table}_${event} AFTER ${event} ON main.${table} BEGIN SELECT ${name}(); END`
      )
    }
  }
  fill()
  return () => {
    if (kept === undefined) due()
    return kept
  }
}
