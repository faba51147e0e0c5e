/** Copies a database file that is in use, by SQLite's own means: page by page, with what is written meanwhile. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { closeSync, openSync, rmSync } from "node:fs"
import { backup, type DatabaseSync } from "node:sqlite"
import { BACKUP_STEP_PAGES } from "../Limits.ts"
import { CopyFailed, DatabaseCopy } from "../DatabaseCopy.ts"
import { Database } from "./Database.ts"

const OWNER_ONLY = 0o600

/** How often a copy may start over: each transaction that is undone makes it do so. */
const RESTARTS_MAX = 5

/** The rest in one step, during which writes wait. */
const ALL_PAGES = 2_147_483_647

class Restless extends Error {}

/** In steps; throws `Restless` when it has started over too often. */
const inSteps = async (connection: DatabaseSync, path: string): Promise<void> => {
  let [left, restarts] = [Number.POSITIVE_INFINITY, 0]
  await backup(connection, path, {
    rate: BACKUP_STEP_PAGES,
    progress: ({ remainingPages }) => {
      if (remainingPages > left) restarts++
      left = remainingPages
      if (restarts > RESTARTS_MAX) throw new Restless()
    }
  })
}

/** Writes a copy into a file that must not be there yet, for its owner only; nothing is left when it fails. */
export const copy = async (connection: DatabaseSync, path: string): Promise<void> => {
  closeSync(openSync(path, "wx", OWNER_ONLY))
  try {
    await inSteps(connection, path).catch((cause: unknown) => {
      if (!(cause instanceof Restless)) throw cause
      return backup(connection, path, { rate: ALL_PAGES })
    })
  } catch (cause) {
    rmSync(path, { force: true })
    throw cause
  }
}

/** Of the database that this process owns. */
export const layer: Layer.Layer<never, never, Database> = Layer.effect(
  DatabaseCopy,
  Effect.map(Database, ({ connection }) => ({
    into: (path) =>
      Effect.tryPromise({
        try: () => copy(connection, path),
        catch: (cause) => new CopyFailed({ message: `${path} cannot be written: ${(cause as Error).message}` })
      })
  }))
)
