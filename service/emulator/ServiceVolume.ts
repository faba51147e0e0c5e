/** A volume of a service in the container of an emulator is a mistake: one of both would not be the expected one. */
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { volumeRefused } from "../config/EmulatorVariable.ts"
import { kindOf } from "../persistence/sqlite/DatabaseKind.ts"

/** A file that can't be read counts as a service's. Nothing is written beside it, as SQLite otherwise would. */
const isEmulators = (path: string): boolean => {
  try {
    const url = pathToFileURL(path)
    url.searchParams.set("immutable", "1")
    const connection = new DatabaseSync(url, { readOnly: true })
    try {
      return kindOf(connection) === "emulator"
    } finally {
      connection.close()
    }
  } catch {
    return false
  }
}

/** Fails if the file that the service would use exists and is not an emulator's. */
export const refuseServiceDatabase = (path: string | undefined) =>
  path === undefined || !existsSync(path) || isEmulators(path) ? Effect.void : Effect.fail(volumeRefused(path))
