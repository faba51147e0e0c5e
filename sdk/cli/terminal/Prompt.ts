/** Prompts. They are written to standard error, because standard output is for the result. */
import * as Effect from "effect/Effect"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { text as textOf } from "node:stream/consumers"
import { sanitize } from "#contract/Text"

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
      answer = line.trim()
      lines.close()
    })
    // Resuming earlier would start the next prompt before this one has restored the terminal.
    lines.once("close", () => resume(answer === undefined ? Effect.interrupt : Effect.succeed(answer)))
    return Effect.sync(() => lines.close())
  }).pipe(Effect.ensuring(Effect.sync(() => hidden && process.stderr.write("\n"))))

/** Reads a line with echo. */
export const promptLine = (question: string): Effect.Effect<string> => prompt(question, false)

/** Reads a line without echo. */
export const promptHidden = (question: string): Effect.Effect<string> => prompt(question, true)

/** Prompts for yes or no. Anything but yes counts as no. */
export const promptYesNo = (question: string): Effect.Effect<boolean> =>
  Effect.map(prompt(`${question} [y/N] `, false), (answer) => /^y(es)?$/i.test(answer))

/** All of standard input, trimmed. */
export const standardInput: Effect.Effect<string> = Effect.map(
  Effect.promise(() => textOf(process.stdin)),
  (input) => input.trim()
)
