/** `vps-service admin`: its shared flags, and the functions that all its subcommands use. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CommandName, InputOf } from "../../contract/operator/Commands.ts"
import { call } from "./Dispatch.ts"
import { settingsWithDatabase } from "./Offline.ts"
import { optional } from "./Flags.ts"
import { FORMATS, type Look, show } from "./Output.ts"

/** The output format. */
export const output = Flag.Literals("output", FORMATS).pipe(
  Flag.withAlias("o"),
  Flag.withDescription("Output format"),
  Flag.withDefault("table")
)

const database = optional(
  Flag.String("database"),
  "The service's database, a file or postgres:// URL (VPS_SERVICE_DATABASE). By default vps-service.db in the "
    + "working directory, else that of the installed service"
)

const emulator = optional(Flag.Boolean("emulator"), "The database belongs to an emulator, whose secret is fixed")

const config = optional(Flag.String("config"), "The service's config file (VPS_SERVICE_CONFIG)")

/** The parent command with the shared flags. */
export const admin = Command.make("admin").pipe(
  Command.withSharedFlags({ config, database, emulator, output }),
  Command.withDescription(
    "Manages the service's accounts, catalogue and tasks. Connects to the running service through the socket beside "
      + "its database file, or opens the file if no service is running; accesses PostgreSQL directly. Exit codes: "
      + "0 success, 1 rejected or failed, 2 invalid usage."
  )
)

/** The settings that identify the database. */
export const settings = Effect.flatMap(admin, (shared) =>
  settingsWithDatabase([
    ...Option.match(shared.config, { onNone: () => [], onSome: (path) => [`--config=${path}`] }),
    ...Option.match(shared.database, { onNone: () => [], onSome: (path) => [`--database=${path}`] }),
    ...Option.match(shared.emulator, { onNone: () => [], onSome: (on) => [`--emulator=${on}`] })
  ]))

/** Executes a command of the service, and returns its result. */
export const perform = Effect.fnUntraced(function*<Name extends CommandName>(command: Name, input: InputOf<Name>) {
  return yield* call(yield* settings, command, input)
})

/** The result of an effect that may execute commands of the service. */
export type Performed<A> = Effect.Effect<
  A,
  Effect.Error<ReturnType<typeof perform>>,
  Effect.Services<ReturnType<typeof perform>>
>

/** Prints a result in the chosen output format. */
export const print = (result: unknown, look?: Look) =>
  Effect.flatMap(admin, ({ output: format }) => show(format, result, look))
