/** `vps-service admin`: what all its commands have in common. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CommandName, InputOf, ResultOf } from "../Commands.ts"
import { call, settingsOf } from "./Dispatch.ts"
import { FORMATS, show } from "./Output.ts"

/** How a result is printed. */
export const output = Flag.Literals("output", FORMATS).pipe(
  Flag.withAlias("o"),
  Flag.withDescription("How the result is printed"),
  Flag.withDefault("table")
)

const database = Flag.String("database").pipe(
  Flag.withDescription(
    "The service's database, a file or postgres:// URL (VPS_SERVICE_DATABASE, default vps-service.db)"
  ),
  Flag.optional
)

const emulator = Flag.Boolean("emulator").pipe(
  Flag.withDescription("The file is an emulator's: keys are made under its fixed secret"),
  Flag.optional
)

/** The command above all others; it holds what they share. */
export const admin = Command.make("admin").pipe(
  Command.withSharedFlags({ database, emulator, output }),
  Command.withDescription(
    "Runs the service's accounts, catalogue and tasks. Speaks to the running service through the socket beside its "
      + "database file, or opens the file when none runs; uses a PostgreSQL database directly. Exit codes: 0 done, "
      + "1 refused or failed, 2 wrong usage."
  )
)

/** Which database is meant. */
export const settings = Effect.flatMap(admin, (shared) =>
  settingsOf([
    ...Option.match(shared.database, { onNone: () => [], onSome: (path) => [`--database=${path}`] }),
    ...Option.match(shared.emulator, { onNone: () => [], onSome: (on) => [`--emulator=${on}`] })
  ]))

/** Has a command done, and answers what came of it. */
export const perform = Effect.fnUntraced(function*<Name extends CommandName>(command: Name, input: InputOf<Name>) {
  return yield* call(yield* settings, command, input)
})

/** Prints a result in the format that was asked for. */
export const print = (result: unknown) => Effect.flatMap(admin, ({ output: format }) => show(format, result))

/** Has a command done and prints its result; as `view` shows it to people, whole to programs. */
export const present = Effect.fnUntraced(function*<Name extends CommandName>(
  command: Name,
  input: InputOf<Name>,
  view?: (result: ResultOf<Name>) => unknown
) {
  const result = yield* perform(command, input)
  const { output: format } = yield* admin
  yield* show(format, format === "json" || view === undefined ? result : view(result))
  return result
})

/** Fields that were given; the others stay absent. */
export const given = <Fields extends Record<string, Option.Option<unknown>>>(fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => Option.isSome(value) ? [[name, value.value]] : [])
  ) as { [Name in keyof Fields]?: Fields[Name] extends Option.Option<infer A> ? A : never }

/** Rows of one answer. */
export const limit = Flag.Int("limit").pipe(
  Flag.withDescription("At most this many rows, 1 to 1000"),
  Flag.withDefault(100)
)
