/** Help texts and usage errors, wrapped at 80 columns. */
import { displayWidth, type Presenter } from "effect/cli/CliOutput"
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { describeUsageErrors, sanitize, usageHint } from "@pulumi-vps/contract/CommandLine"
import { aliasesIn, type Line } from "../line/CommandLine.ts"
import { readEnvironment } from "../Environment.ts"
import { EXIT_CODES, usageError } from "../errors/CommandError.ts"
import { HELP_COLUMNS } from "../Limits.ts"
import { reportFailure } from "./FailureReport.ts"
import { printRaw, stdoutCapabilities } from "./Output.ts"
import { detectCapabilities, paint, type TerminalCapabilities } from "../terminal/Terminal.ts"

const INDENT = "  "
const GAP = "  "
/** The description of a longer name starts on the next line. */
const NAME_MAX = 26

/** Wraps a paragraph. A word longer than a line gets its own line. */
export const wrap = (text: string, columns: number): ReadonlyArray<string> => {
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

/** Two columns: names and descriptions. */
const list = (rows: ReadonlyArray<Row>, columns: number, capabilities: TerminalCapabilities): ReadonlyArray<string> => {
  const fitting = rows.map(([name]) => displayWidth(name)).filter((width) => width <= NAME_MAX)
  const width = Math.max(0, ...fitting)
  const margin = " ".repeat(INDENT.length + width + GAP.length)
  return rows.flatMap(([name, description]) => {
    const lines = wrap(description, columns - margin.length)
    const painted = INDENT + paint(capabilities, "cyan", name)
    if (displayWidth(name) > width) return [painted, ...lines.map((line) => margin + line)]
    const space = " ".repeat(width - displayWidth(name)) + GAP
    return [painted + space + lines[0]!, ...lines.slice(1).map((line) => margin + line)]
  })
}

/** Removes the choices that effect/cli appends to the description: the metavar shows them. */
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

/** The shell's line continuation. */
const CONTINUATION = " \\"

/** A command that can be copied even if it spans several lines. */
const commandLines = (command: string, columns: number): ReadonlyArray<string> => {
  if (displayWidth(command) <= columns - INDENT.length) return [INDENT + command]
  const lines = wrap(command, columns - 2 * INDENT.length - CONTINUATION.length)
  const last = lines.length - 1
  return lines.map((line, at) => INDENT + (at === 0 ? "" : INDENT) + line + (at === last ? "" : CONTINUATION))
}

const examplesOf = (
  { examples = [] }: HelpDoc,
  columns: number,
  capabilities: TerminalCapabilities
): ReadonlyArray<string> =>
  examples.flatMap(({ command, description }, index) => {
    const lines = commandLines(command, columns)
    if (description === undefined) return lines
    const comment = wrap(`# ${description}`, columns - INDENT.length)
    return [
      ...(index === 0 ? [] : [""]),
      ...comment.map((line) => INDENT + paint(capabilities, "dim", line)),
      ...lines
    ]
  })

const ENVIRONMENT: ReadonlyArray<Row> = [
  ["VPS_API_KEY", "The API key; overrides saved contexts"],
  ["VPS_BASE_URL", "The base URL of the service, like https://host/api/v1; overrides saved contexts"],
  ["VPS_CONFIG", "The context file (default: vps/config.json in $XDG_CONFIG_HOME or ~/.config)"],
  ["NO_COLOR", "Any value disables colors"]
]

/** The commands of a group that have other names, and those names. */
const aliasesOf = ({ commandPath = [], subcommands = [] }: HelpDoc): ReadonlyArray<Row> => {
  const listed = new Set(subcommands.flatMap(({ commands }) => commands.map(({ name }) => name)))
  const all = Object.entries(aliasesIn(commandPath.slice(1).join(" ")))
    .filter(([, meaning]) => meaning.startsWith("--") || listed.has(meaning.split(" ")[0]!))
  return [...Map.groupBy(all, ([, meaning]) => meaning)]
    .map(([meaning, same]) => [meaning, same.map(([alias]) => alias).join(", ")])
}

/** Sections that apply to every command; only the root command shows them. */
const globalSections = (columns: number, capabilities: TerminalCapabilities): ReadonlyArray<Section> => [
  ["EXIT CODES", list(EXIT_CODES.map(([code, meaning]): Row => [String(code), meaning]), columns, capabilities)],
  ["ENVIRONMENT", list(ENVIRONMENT, columns, capabilities)]
]

/** The complete help text of a command. */
export const help = (doc: HelpDoc, capabilities: TerminalCapabilities): string => {
  const columns = Math.min(capabilities.columns, HELP_COLUMNS)
  const rows = (all: ReadonlyArray<Row>) => list(all, columns, capabilities)
  const isTop = doc.commandPath?.length === 1
  const sections: ReadonlyArray<Section> = [
    ["USAGE", wrap(doc.usage, columns - INDENT.length).map((line) => INDENT + line)],
    ["COMMANDS", rows(commands(doc))],
    ["ALIASES", rows(aliasesOf(doc))],
    ["ARGUMENTS", rows(argumentsOf(doc))],
    ["FLAGS", rows(isTop ? [] : doc.flags.map(flagRow))],
    ["EXAMPLES", examplesOf(doc, columns, capabilities)],
    [
      "GLOBAL FLAGS",
      rows(
        [...(isTop ? doc.flags : []), ...doc.inheritedFlags ?? [], ...doc.globalFlags ?? []].map(flagRow)
      )
    ],
    ...(isTop ? globalSections(columns, capabilities) : [])
  ]
  const description = doc.description.split("\n").flatMap((paragraph) => wrap(paragraph, columns))
  const shown = sections.filter(([, lines]) => lines.length > 0)
  return [
    description,
    ...shown.map(([title, lines]) => [paint(capabilities, "bold", title), ...lines])
  ].map((lines) => `${lines.join("\n")}\n`).join("\n")
}

/** Wrong usage, as text or, with `-o json`, as JSON. */
const usageFailure = (
  { commandPath, errors, helpDoc }: Presenter.InvalidInvocation,
  { flags, words }: Line
): string => {
  const capabilities = detectCapabilities(process.stderr, readEnvironment())
  const lines = describeUsageErrors(errors, helpDoc, words)
  const hint = usageHint(commandPath)
  if (flags.get("output") === "json") return reportFailure(usageError(lines.join("\n"), hint), capabilities).document
  return `${lines.map((line) => `${paint(capabilities, "red", "vps:")} ${sanitize(line)}\n`).join("")}${hint}\n`
}

/** Help is a result and goes to standard output; usage errors go to standard error. */
export const presenterOf = (line: Line): Presenter => ({
  present: Effect.fnUntraced(function*(event) {
    switch (event._tag) {
      case "Help":
        return yield* printRaw(help(event.helpDoc, stdoutCapabilities()))
      case "Version":
        return yield* printRaw(`${event.name} ${event.version}\n`)
      case "InvalidInvocation":
        return yield* Effect.sync(() => void process.stderr.write(usageFailure(event, line)))
    }
  })
})
