/** Copies a database file that is in use, by SQLite's own means: page by page, with what is written meanwhile. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { closeSync, openSync, rmSync } from "node:fs"
import { backup, type DatabaseSync } from "node:sqlite"
import { setImmediate } from "node:timers/promises"
import { Limits } from "../../config/Limits.ts"
import { CopyFailed, DatabaseCopy } from "../DatabaseCopy.ts"
import { Database } from "./Database.ts"

const OWNER_ONLY = 0o600

/** How often a copy may start over: each transaction that is undone makes it do so. */
const RESTARTS_MAX = 5

/** The rest in one step, during which writes wait. */
const ALL_PAGES = 2_147_483_647

class Restless extends Error {}

/** How often it is begun anew when its first step meets a transaction: each time is as likely as the last one. */
const BEGINS_MAX = 1_000

/** Node takes a first step that has to wait for a transaction for the end, and calls it an error that is none. */
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

/** Writes a copy into a file that must not be there yet, for its owner only; nothing is left when it fails. */
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
