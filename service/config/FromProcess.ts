/** The settings of this process. Only this file, `ProcessTuning.ts` and `Otlp.ts` read the environment. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { SETTINGS, type Values } from "./Config.ts"
import { readConfigFile } from "./ConfigFile.ts"
import type { Environment, Texts } from "./Limit.ts"
import { lookupIn, resolve } from "./Resolve.ts"
import { InvalidSetting } from "./Setting.ts"

class Unexpected extends Data.TaggedError("Unexpected")<{ readonly cause: unknown }> {}

type Read<A> = (flags: ReadonlyArray<string>, environment: Environment, file: Texts) => A

/** Reads from flags, this process's environment, and the config file that one of them names. */
export const attempt = <A>(read: Read<A>, flags: ReadonlyArray<string>): Effect.Effect<A, InvalidSetting> =>
  Effect.tryPromise({
    try: async () => {
      const path = lookupIn(flags, process.env, {})(SETTINGS.config.environment)?.text ?? ""
      return read(flags, process.env, path === "" ? {} : await readConfigFile(path))
    },
    catch: (cause) => cause instanceof InvalidSetting ? cause : new Unexpected({ cause })
  }).pipe(Effect.catchTag("Unexpected", ({ cause }) => Effect.die(cause)))

/** The settings that these flags lead to. */
export const settingsOf = (flags: ReadonlyArray<string>): Effect.Effect<Values, InvalidSetting> =>
  attempt(resolve, flags)
