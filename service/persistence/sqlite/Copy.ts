/**
 * Copies a database file in use with SQLite's backup API: page by page, including writes in the meantime. A copy
 * replaces another file so that at every moment the path has one of the two, complete.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { closeSync, copyFileSync, existsSync, linkSync, openSync, renameSync, rmSync } from "node:fs"
import { backup, DatabaseSync } from "node:sqlite"
import { syncFile, syncFolderOf } from "../../runtime/FileAccess.ts"
import { countRows, isBusy, type Rows } from "./Verification.ts"
import { setImmediate } from "node:timers/promises"
import { Limits } from "../../config/Limits.ts"
import { CopyFailed, DatabaseCopy } from "../DatabaseCopy.ts"
import { Database } from "./Database.ts"

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

const OWNER_ONLY = 0o600

/** Restarts of a copy at most: each transaction that is rolled back causes one. */
const RESTARTS_MAX = 5

/** The rest in one step, during which writes wait. */
const ALL_PAGES = 2_147_483_647

class Restless extends Error {}

/** Attempts at most while its first step meets a transaction: each is as likely as the last one. */
const BEGINS_MAX = 1_000

/** Node reports a first step that has to wait for a transaction as an error with code 0. */
const hasNotBegun = (cause: unknown): boolean => cause instanceof Error && "errcode" in cause && cause.errcode === 0

const begun = async (
  connection: DatabaseSync,
  path: string,
  options: Parameters<typeof backup>[2],
  tries = BEGINS_MAX
): Promise<void> => {
  try {
    await backup(connection, path, options)
  } catch (cause) {
    if (tries <= 1 || !hasNotBegun(cause)) throw cause
    await setImmediate()
    return begun(connection, path, options, tries - 1)
  }
}

/** In steps; throws `Restless` when it has started over too often. */
const inSteps = async (connection: DatabaseSync, path: string, stepPages: number): Promise<void> => {
  let [left, restarts] = [Number.POSITIVE_INFINITY, 0]
  await begun(connection, path, {
    rate: stepPages,
    progress: ({ remainingPages }) => {
      if (remainingPages > left) restarts++
      left = remainingPages
      if (restarts > RESTARTS_MAX) throw new Restless()
    }
  })
}

/** Writes a copy to a new file, readable by its owner only; removes it on failure. */
export const copy = async (connection: DatabaseSync, path: string, stepPages: number): Promise<void> => {
  closeSync(openSync(path, "wx", OWNER_ONLY))
  try {
    await inSteps(connection, path, stepPages).catch((cause: unknown) => {
      if (!(cause instanceof Restless)) throw cause
      return begun(connection, path, { rate: ALL_PAGES })
    })
  } catch (cause) {
    rmSync(path, { force: true })
    throw cause
  }
}

/** Of the database that this process owns. */
export const layer: Layer.Layer<never, never, Database | Limits> = Layer.effect(
  DatabaseCopy,
  Effect.gen(function*() {
    const { connection } = yield* Database
    const { BACKUP_STEP_PAGES } = yield* Limits
    return {
      into: (path) =>
        Effect.tryPromise({
          try: () => copy(connection, path, BACKUP_STEP_PAGES),
          catch: (cause) => new CopyFailed({ message: `${path} cannot be written: ${(cause as Error).message}` })
        })
    }
  })
)
