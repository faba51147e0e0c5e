/** Finds the database of the service on this computer, for commands without --database. */
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { SETTINGS } from "../../config/Config.ts"
import { attempt, settingsOf } from "../../config/FromProcess.ts"
import { lookupIn } from "../../config/Resolve.ts"
import { reject } from "../CommandRejected.ts"
import { note } from "./Output.ts"

/** Each place with the flag that names it, the most specific first. */
const PLACES = [
  { path: "vps-service.db", flag: "database" },
  // Those of the Debian package and of the container.
  { path: "/etc/vps/service.yaml", flag: "config" },
  { path: "/var/lib/vps/vps-service.db", flag: "database" }
] as const

/** Any of these says which database is meant. */
const NAMING = [SETTINGS.config, SETTINGS.database, SETTINGS.emulator].map(({ environment }) => environment)

const isNamed = (flags: ReadonlyArray<string>) =>
  attempt((...sources) => NAMING.some((variable) => lookupIn(...sources)(variable) !== undefined), flags)

const NOT_FOUND = `No database found: there is none of ${PLACES.map(({ path }) => path).join(", ")}. Set --database or `
  + "--config. The service creates its database when it starts."

/** The settings, with the database that `exists` finds if none is named. */
export const settingsWithDatabase = Effect.fnUntraced(function*(
  flags: ReadonlyArray<string>,
  exists: (path: string) => boolean = existsSync
) {
  if (yield* isNamed(flags)) return yield* settingsOf(flags)
  const found = PLACES.find(({ path }) => exists(path))
  if (found === undefined) return yield* reject(NOT_FOUND)
  if (found !== PLACES[0]) yield* note(`Using ${found.path}.`)
  return yield* settingsOf([...flags, `--${found.flag}=${found.path}`])
})
