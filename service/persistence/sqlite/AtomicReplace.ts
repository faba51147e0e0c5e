/** Replaces one database file by another, so that at every moment the path has one of the two, complete. */
import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { syncFile, syncFolderOf } from "../../runtime/FileAccess.ts"
import { isBusy } from "./IntegrityCheck.ts"
import { countRows, type Rows } from "./Verification.ts"

/** The path to which the replaced file is moved. */
export const replacedPath = (database: string): string => `${database}.before-restore`

export interface Replaced {
  /** The path of the replaced file; undefined when there was none. */
  readonly path: string | undefined
  /** Its row counts; undefined when it could not be read. */
  readonly rows: Rows | undefined
}

/**
 * Locks the file against every service, with its log merged into it. Undefined for a file that cannot be read, which no
 * service can use either. Throws SQLite's busy error when one does.
 */
const lock = (path: string): DatabaseSync | undefined => {
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
  } catch { // damaged, or not a database: it is retained all the same
    return undefined
  }
}

/** A second name for the same file; a copy where the disk knows no second names. */
const preserve = (path: string, to: string): void => {
  try {
    linkSync(path, to)
  } catch {
    copyFileSync(path, to)
    syncFile(to)
  }
}

/** Only a file that could not be read has logs left. They belong to that file: the new one must never meet them. */
const moveLogs = (database: string, replaced: string): void => {
  for (const suffix of ["-wal", "-journal"]) {
    if (existsSync(`${database}${suffix}`)) renameSync(`${database}${suffix}`, `${replaced}${suffix}`)
  }
  rmSync(`${database}-shm`, { force: true })
}

/**
 * Moves `fresh`, a file without a log, to `database`, and the file there to `replacedPath`. Throws SQLite's busy error
 * when a service uses the database; then nothing was changed.
 */
export const replace = (fresh: string, database: string): Replaced => {
  const replaced = replacedPath(database)
  const held = existsSync(database) ? lock(database) : undefined
  try {
    const rows = readable(held)
    const exists = existsSync(database)
    if (exists) preserve(database, replaced)
    if (held === undefined) moveLogs(database, replaced)
    renameSync(fresh, database)
    syncFolderOf(database)
    return { path: exists ? replaced : undefined, rows }
  } finally {
    held?.close()
  }
}
