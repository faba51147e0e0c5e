/** Copies a database file in use with SQLite's backup API: page by page, including writes in the meantime. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { closeSync, openSync, rmSync } from "node:fs"
import { backup, type DatabaseSync } from "node:sqlite"
import { setImmediate } from "node:timers/promises"
import { Limits } from "../../config/Limits.ts"
import { CopyFailed, DatabaseCopy } from "../DatabaseCopy.ts"
import { Database } from "./Database.ts"

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
