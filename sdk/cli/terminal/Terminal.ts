/** The capabilities of the terminal, and questions to the person at it. */
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { type CommandError, usageError } from "../errors/CommandError.ts"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { text as textOf } from "node:stream/consumers"
import { sanitize } from "@pulumi-vps/contract/CommandLine"
import type { Environment } from "../Environment.ts"

// Prompts. They are written to standard error, because standard output is for the result.

/** True when a person can answer a prompt. */
export const isInteractive = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** True when the terminal would echo the input. */
export const canHideInput = (): boolean => process.stdin.isTTY === true

/** An output that discards the echo. */
const nullOutput = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** Reads one line. Ctrl-C and Ctrl-D interrupt. */
const prompt = (text: string, hidden: boolean): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
    const question = sanitize(text)
    const output = hidden ? nullOutput() : process.stderr
    const lines = createInterface({ input: process.stdin, output, terminal: true })
    // readline redraws the line while it is edited, so it has to know the prompt.
    if (!hidden) lines.setPrompt(question)
    // The prompt is written after readline has disabled the echo: a fast typist's input would be visible before.
    process.stderr.write(question)
    let answer: string | undefined
    lines.once("line", (line) => {
      answer = line
      lines.close()
    })
    // Resuming earlier would start the next prompt before this one has restored the terminal.
    lines.once("close", () => resume(answer === undefined ? Effect.interrupt : Effect.succeed(answer)))
    return Effect.sync(() => lines.close())
  }).pipe(Effect.ensuring(Effect.sync(() => hidden && process.stderr.write("\n"))))

/** Reads a line with echo, trimmed. */
export const promptLine = (question: string): Effect.Effect<string> =>
  Effect.map(prompt(question, false), (line) => line.trim())

/** Reads a line without echo, exactly as it is typed: a password may begin or end with a space. */
export const promptHidden = (question: string): Effect.Effect<string> => prompt(question, true)

/** Prompts for yes or no. Anything but yes counts as no. */
const promptYesNo = (question: string): Effect.Effect<boolean> =>
  Effect.map(promptLine(`${question} [y/N] `), (answer) => /^y(es)?$/i.test(answer))

/** All of standard input. */
export const standardInput: Effect.Effect<string> = Effect.promise(() => textOf(process.stdin))

// Confirmation of purchases and of destructive commands.

/** Skips the confirmation. */
export const yes = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Skip the confirmation"),
  Flag.withDefault(false)
)

const declined = usageError("Nothing was changed.")

const confirm = (question: string): Effect.Effect<void, CommandError> =>
  Effect.flatMap(promptYesNo(question), (agreed) => agreed ? Effect.void : Effect.fail(declined))

/** Before data is destroyed, a person confirms it, or the command line does with `--yes`. */
export const confirmDataLoss = (agreed: boolean, question: string): Effect.Effect<void, CommandError> =>
  Effect.suspend(() => {
    if (agreed) return Effect.void
    if (isInteractive()) return confirm(question)
    return Effect.fail(usageError("This command destroys data. Nothing was changed.", "Pass --yes to confirm."))
  })

/** A question, with the value that it shows. */
export interface Prompted<A = undefined> {
  readonly question: string
  readonly shown?: A
}

/**
 * Before money is spent, or instances change that a filter selected, a person sees the charge or the instances and
 * confirms. Scripts are not prompted: no data is lost, and they can see the charge with `--dry-run`. Returns what was
 * shown; undefined if nothing was.
 */
export const confirmOnTerminal = <A, E, R>(
  agreed: boolean,
  prompt: Effect.Effect<Prompted<A>, E, R>
): Effect.Effect<A | undefined, E | CommandError, R> =>
  Effect.suspend(() =>
    agreed || !isInteractive()
      ? Effect.succeed(undefined)
      : Effect.flatMap(prompt, ({ question, shown }) => Effect.as(confirm(question), shown))
  )

// The capabilities of an output stream: its width, colors, and redrawing.

export interface TerminalCapabilities {
  /** True when the stream is a terminal. */
  readonly isTerminal: boolean
  /** Width in columns; infinite when the stream is not a terminal. */
  readonly columns: number
  readonly colors: boolean
  /** True when a line can be redrawn in place. */
  readonly canRedraw: boolean
}

interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** The width of a terminal that does not report it. */
const COLUMNS = 80

export const detectCapabilities = (
  stream: Stream,
  { allowsColor, isDumbTerminal }: Environment
): TerminalCapabilities => {
  const isTerminal = stream.isTTY === true
  return {
    isTerminal,
    // A pseudoterminal may report 0.
    columns: isTerminal ? stream.columns || COLUMNS : Number.POSITIVE_INFINITY,
    colors: isTerminal && allowsColor,
    canRedraw: isTerminal && !isDumbTerminal
  }
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const
export type Style = keyof typeof CODES

/** Styles a text where colors are supported. */
export const paint = (
  { colors }: Pick<TerminalCapabilities, "colors">,
  style: Style | undefined,
  text: string
): string => colors && style !== undefined && text !== "" ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text

/** The same in each line of a text. */
export const sanitizeLines = (text: string): string => text.split("\n").map(sanitize).join("\n")
