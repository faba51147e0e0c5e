/** The settings of this process. Only this file, `ProcessTuning.ts` and `Otlp.ts` read the environment. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { isEmulator, withEmulator } from "./EmulatorVariable.ts"
import { SETTINGS, type Values } from "./Config.ts"
import { readConfigFile } from "./ConfigFile.ts"
import { locate } from "./DatabaseLocation.ts"
import type { Environment, Texts } from "./Limit.ts"
import { lookupIn, resolve, SERVICE_FILE } from "./Resolve.ts"
import { InvalidSetting } from "./Setting.ts"

class Unexpected extends Data.TaggedError("Unexpected")<{ readonly cause: unknown }> {}

type Read<A> = (flags: ReadonlyArray<string>, environment: Environment, file: Texts) => A

/** Reads from flags, this process's environment, and the config file that one of them names. */
const attemptOnFile = <A>(read: Read<A>, flags: ReadonlyArray<string>): Effect.Effect<A, InvalidSetting> =>
  Effect.tryPromise({
    try: async () => {
      const path = lookupIn(flags, process.env, {})(SETTINGS.config.environment)?.text ?? ""
      return read(flags, process.env, path === "" ? {} : await readConfigFile(path))
    },
    catch: (cause) => cause instanceof InvalidSetting ? cause : new Unexpected({ cause })
  }).pipe(Effect.catchTag("Unexpected", ({ cause }) => Effect.die(cause)))

/** Reads from the same, and from `VPS_EMULATOR`. */
export const attempt = <A>(read: Read<A>, flags: ReadonlyArray<string>): Effect.Effect<A, InvalidSetting> =>
  attemptOnFile((given, environment, file) => read(given, environment, withEmulator(file, environment)), flags)

/** The file in which a service would have its database, if `VPS_EMULATOR` makes an emulator of it. */
export const replacedDatabase = (flags: ReadonlyArray<string>): Effect.Effect<string | undefined, InvalidSetting> =>
  attemptOnFile((_, environment, file) => {
    if (!isEmulator(environment)) return undefined
    return locate(file[SETTINGS.database.environment]?.text ?? SERVICE_FILE).file
  }, flags)

/** The settings that these flags lead to. */
export const settingsOf = (flags: ReadonlyArray<string>): Effect.Effect<Values, InvalidSetting> =>
  attempt(resolve, flags)
