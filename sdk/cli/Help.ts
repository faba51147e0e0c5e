/** Help and mistakes of the command line as people read them: at most 80 columns, however long the descriptions. */
import { displayWidth, type Presenter } from "effect/cli/CliOutput"
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { environmentOf } from "./Config.ts"
import { EXIT_CODES } from "./ExitCode.ts"
import { HELP_COLUMNS } from "./Limits.ts"
import { note, outputSurface, write } from "./output/Show.ts"
import { harmless, paint, type Surface, surfaceOf } from "./terminal/Surface.ts"

const INDENT = "  "
const GAP = "  "
/** A name that is wider has its description below it. */
const NAME_MAX = 26

/** The words of a paragraph in lines of at most so many columns. A word that is longer stands alone. */
export const wrapped = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(/\s+/)) {
    const longer = line === "" ? word : `${line} ${word}`
    if (line !== "" && displayWidth(longer) > columns) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}

type Row = readonly [name: string, description: string]

/** Names with their descriptions beside them. */
const list = (rows: ReadonlyArray<Row>, columns: number, surface: Surface): ReadonlyArray<string> => {
  const fitting = rows.map(([name]) => displayWidth(name)).filter((width) => width <= NAME_MAX)
  const width = Math.max(0, ...fitting)
  const margin = " ".repeat(INDENT.length + width + GAP.length)
  return rows.flatMap(([name, description]) => {
    const lines = wrapped(description, columns - margin.length)
    const painted = INDENT + paint(surface, "cyan", name)
    if (displayWidth(name) > width) return [painted, ...lines.map((line) => margin + line)]
    const space = " ".repeat(width - displayWidth(name)) + GAP
    return [painted + space + lines[0]!, ...lines.slice(1).map((line) => margin + line)]
  })
}

/** effect/cli adds the choices to the description; here the name of the value shows them. */
const withoutChoices = (description: string): string => {
  const at = description.indexOf(" (choices: ")
  return at !== -1 && description.endsWith(")") ? description.slice(0, at) : description
}

const flagRow = ({ aliases, description, name, required, type }: FlagDoc): Row => {
  const names = [...aliases, `--${name}`].join(", ")
  const text = withoutChoices(Option.getOrElse(description, () => ""))
  return [type === "boolean" ? names : `${names} ${type}`, required ? `${text} (required)` : text]
}

type Section = readonly [title: string, lines: ReadonlyArray<string>]

const commands = ({ subcommands = [] }: HelpDoc): ReadonlyArray<Row> =>
  subcommands.flatMap(({ commands }) =>
    commands.map((command): Row => [command.name, command.shortDescription ?? command.description])
  )

const argumentsOf = ({ args = [] }: HelpDoc): ReadonlyArray<Row> =>
  args.map(({ description, name, required, variadic }) => [
    variadic ? `${name}...` : name,
    `${Option.getOrElse(description, () => "")}${required || variadic ? "" : " (optional)"}`
  ])

/** Ends a line of a command that goes on in the next. */
const CONTINUED = " \\"

/** A command that can be copied as it stands, however many lines it needs. */
const commandLines = (command: string, columns: number): ReadonlyArray<string> => {
  if (displayWidth(command) <= columns - INDENT.length) return [INDENT + command]
  const lines = wrapped(command, columns - 2 * INDENT.length - CONTINUED.length)
  const last = lines.length - 1
  return lines.map((line, at) => INDENT + (at === 0 ? "" : INDENT) + line + (at === last ? "" : CONTINUED))
}

const examplesOf = ({ examples = [] }: HelpDoc, columns: number, surface: Surface): ReadonlyArray<string> =>
  examples.flatMap(({ command, description }, index) => {
    const lines = commandLines(command, columns)
    if (description === undefined) return lines
    const comment = wrapped(`# ${description}`, columns - INDENT.length)
    return [
      ...(index === 0 ? [] : [""]),
      ...comment.map((line) => INDENT + paint(surface, "dim", line)),
      ...lines
    ]
  })

const ENVIRONMENT: ReadonlyArray<Row> = [
  ["VPS_API_KEY", "The API key; wins over saved contexts"],
  ["VPS_BASE_URL", "The address of the service, like https://host/api/v1; wins over saved contexts"],
  ["VPS_CONFIG", "The file of the contexts (default: vps/config.json in $XDG_CONFIG_HOME or ~/.config)"],
  ["NO_COLOR", "Set to anything: no colours"]
]

/** What concerns every command is said once, at the top. */
const general = (columns: number, surface: Surface): ReadonlyArray<Section> => [
  ["EXIT CODES", list(EXIT_CODES.map(([code, meaning]): Row => [String(code), meaning]), columns, surface)],
  ["ENVIRONMENT", list(ENVIRONMENT, columns, surface)]
]

/** The whole text of help. */
export const help = (doc: HelpDoc, surface: Surface): string => {
  const columns = Math.min(surface.columns, HELP_COLUMNS)
  const rows = (all: ReadonlyArray<Row>) => list(all, columns, surface)
  const isTop = doc.commandPath?.length === 1
  const sections: ReadonlyArray<Section> = [
    ["USAGE", wrapped(doc.usage, columns - INDENT.length).map((line) => INDENT + line)],
    ["COMMANDS", rows(commands(doc))],
    ["ARGUMENTS", rows(argumentsOf(doc))],
    ["FLAGS", rows(isTop ? [] : doc.flags.map(flagRow))],
    ["EXAMPLES", examplesOf(doc, columns, surface)],
    [
      "GLOBAL FLAGS",
      rows(
        [...(isTop ? doc.flags : []), ...doc.inheritedFlags ?? [], ...doc.globalFlags ?? []].map(flagRow)
      )
    ],
    ...(isTop ? general(columns, surface) : [])
  ]
  const description = doc.description.split("\n").flatMap((paragraph) => wrapped(paragraph, columns))
  const shown = sections.filter(([, lines]) => lines.length > 0)
  return [
    description,
    ...shown.map(([title, lines]) => [paint(surface, "bold", title), ...lines])
  ].map((lines) => `${lines.join("\n")}\n`).join("\n")
}

const mistake = (message: string, surface: Surface): string =>
  message.split("\n").filter((line) => line.trim() !== "")
    .map((line) => `${paint(surface, "red", "vps:")} ${harmless(line.trimEnd())}`).join("\n")

/** Help that was asked for is a result; a mistake is told in a line, and nothing on standard output. */
export const presenter: Presenter = {
  present: Effect.fnUntraced(function*(event) {
    switch (event._tag) {
      case "Help":
        return yield* write(help(event.helpDoc, outputSurface()))
      case "Version":
        return yield* write(`${event.name} ${event.version}\n`)
      case "InvalidInvocation": {
        const surface = surfaceOf(process.stderr, environmentOf())
        for (const { message } of event.errors) yield* note(mistake(message, surface))
        return yield* note(`How it is used: ${event.commandPath.join(" ")} --help`)
      }
    }
  })
}
