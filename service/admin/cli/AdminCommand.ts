/** `vps-service admin`: its shared flags, and the functions that all its subcommands use. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CommandName, InputOf, ResultOf } from "../Commands.ts"
import { call } from "./Dispatch.ts"
import { settingsWithDatabase } from "./FindDatabase.ts"
import { FORMATS, note, show } from "./Output.ts"
import { optional, withAccount } from "./Flags.ts"

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

/** Prints a result in the chosen output format. */
export const print = (result: unknown) => Effect.flatMap(admin, ({ output: format }) => show(format, result))

/** Executes a command of the service, and prints its result. Tables show `view` of it; JSON is complete. */
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

/** Parsed flags and arguments, of which absent ones are omitted. */
type Present<Parsed> =
  & { readonly [Name in keyof Parsed as Parsed[Name] extends Option.Option<unknown> ? never : Name]: Parsed[Name] }
  & {
    readonly [Name in keyof Parsed as Parsed[Name] extends Option.Option<unknown> ? Name : never]?: Parsed[Name] extends
      Option.Option<infer A> ? A : never
  }

/** Omits absent flags. */
export const withoutAbsent = <Parsed>(parsed: Parsed): Present<Parsed> =>
  Object.fromEntries(
    Object.entries(parsed as object).flatMap(([name, value]) =>
      Option.isOption(value) ? Option.toArray(value).map((present) => [name, present]) : [[name, value]]
    )
  ) as Present<Parsed>

/** A list of which a page shows a part: the flag with which the next one begins, and the row's value for it. */
export interface Paged<Row> {
  readonly flag: "after" | "before"
  readonly idOf: (row: Row) => number
}

type RowOf<Name extends CommandName> = ResultOf<Name> extends ReadonlyArray<infer Row> ? Row : never

/** Says on standard error that there are more rows, and how to print them. */
export const noteMore = Effect.fnUntraced(function*<Name extends CommandName>(
  command: Name,
  input: InputOf<Name>,
  result: ResultOf<Name>,
  { flag, idOf }: Paged<RowOf<Name>>
) {
  const rows = result as unknown as ReadonlyArray<RowOf<Name>>
  const last = rows.at(-1)
  if (last === undefined || rows.length < (input as { readonly limit: number }).limit) return
  const next = { ...input, [flag]: idOf(last), limit: 1 }
  const more = (yield* perform(command, next)) as unknown as ReadonlyArray<unknown>
  if (more.length > 0) yield* note(`There are more. Add --${flag} ${idOf(last)} for the next page.`)
})

interface Help<Name extends CommandName> {
  readonly description: string
  /** For the list of commands; the description by default. */
  readonly short?: string
  /** Follows `vps-service admin`. */
  readonly example?: string
  readonly view?: (result: ResultOf<Name>) => unknown
  readonly paged?: Paged<RowOf<Name>>
}

/** The subcommand for a command of the service. Its flags and arguments are the command's input. */
export const commandFor = <const Name extends CommandName, const Config extends Command.Command.Config>(
  command: Name,
  config: Config & (Present<Command.Command.Config.Infer<Config>> extends InputOf<Name> ? unknown : never),
  { description, example, paged, short, view }: Help<Name>
) =>
  Command.make(
    command.split(".")[1]!.replaceAll("_", "-"),
    config as Config,
    Effect.fnUntraced(function*(parsed) {
      const input = withoutAbsent(yield* withAccount(parsed as object)) as InputOf<Name>
      const result = yield* present(command, input, view)
      if (paged !== undefined) yield* noteMore(command, input, result, paged)
    })
  ).pipe(
    Command.withDescription(description),
    Command.withShortDescription(short ?? description),
    Command.withExamples(example === undefined ? [] : [{ command: `vps-service admin ${example}` }])
  )

/** The number of rows in a result. */
export const limit = Flag.Int("limit").pipe(
  Flag.withDescription("Maximum number of rows, 1 to 1000"),
  Flag.withDefault(100)
)
