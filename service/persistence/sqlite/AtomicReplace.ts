/** Puts one database file in the place of another, so that at every moment one of the two stands there, whole. */
import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { syncFile, syncFolderOf } from "../../runtime/Fsync.ts"
import { isBusy } from "./IntegrityCheck.ts"
import { countRows, type Rows } from "./Verification.ts"

/** Where the replaced file stays. */
export const replacedPath = (database: string): string => `${database}.before-restore`

export interface Replaced {
  /** Where the replaced file is now; undefined when there was none. */
  readonly path: string | undefined
  /** What it held; undefined when it could not be read. */
  readonly rows: Rows | undefined
}

/**
 * Holds the file against every service, in one piece: what waited in its log is in it. Undefined for a file that cannot
 * be read, which no service can use either. Throws SQLite's busy error when one does.
 */
const seize = (path: string): DatabaseSync | undefined => {
  const connection = new DatabaseSync(path, { timeout: 0 })
  try {
    // Out of WAL mode there is nothing beside the file that closing it would take away from its successor.
    connection.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")
    return connection
  } catch (cause) {
    connection.close()
    if (isBusy(cause)) throw cause
    return undefined
  }
}

const readable = (connection: DatabaseSync | undefined): Rows | undefined => {
  try {
    return connection === undefined ? undefined : countRows(connection)
  } catch { // damaged, or of nobody's: it is kept all the same
    return undefined
  }
}

/** A second name for the same file; a copy where the disk knows no second names. */
const keep = (path: string, kept: string): void => {
  try {
    linkSync(path, kept)
  } catch {
    copyFileSync(path, kept)
    syncFile(kept)
  }
}

/** Only a file that could not be read has logs left. They belong to that file: the new one must never meet them. */
const moveLogs = (database: string, kept: string): void => {
  for (const suffix of ["-wal", "-journal"]) {
    if (existsSync(`${database}${suffix}`)) renameSync(`${database}${suffix}`, `${kept}${suffix}`)
  }
  rmSync(`${database}-shm`, { force: true })
}

/**
 * Moves `fresh`, a file without a log, to `database`, and keeps what stood there under `keptPath`. Throws SQLite's busy
 * error when a service uses the database; then nothing was changed.
 */
export const replace = (fresh: string, database: string): Replaced => {
  const kept = replacedPath(database)
  const held = existsSync(database) ? seize(database) : undefined
  try {
    const rows = readable(held)
    const isThere = existsSync(database)
    if (isThere) keep(database, kept)
    if (held === undefined) moveLogs(database, kept)
    renameSync(fresh, database)
    syncFolderOf(database)
    return { path: isThere ? kept : undefined, rows }
  } finally {
    held?.close()
  }
}
