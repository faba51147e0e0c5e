/** Questions to a person at a terminal. They are asked on standard error: standard output belongs to the result. */
import * as Effect from "effect/Effect"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { text as textOf } from "node:stream/consumers"
import { harmless } from "./Surface.ts"

/** Whether there is a person to ask. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** Whether what is typed would be seen otherwise, wherever the question goes. */
export const canHide = (): boolean => process.stdin.isTTY === true

/** Shows nothing of what is typed. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** One line of the terminal; interrupts when it is ended by Ctrl-C or Ctrl-D. */
const ask = (text: string, hidden: boolean): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
    const question = harmless(text)
    const output = hidden ? nowhere() : process.stderr
    const lines = createInterface({ input: process.stdin, output, terminal: true })
    // The question is part of the line that is edited: without it, editing would draw over it.
    if (!hidden) lines.setPrompt(question)
    // Now the terminal shows nothing by itself any more: before, it would show what a fast typist answers.
    process.stderr.write(question)
    let answer: string | undefined
    lines.once("line", (line) => {
      answer = line.trim()
      lines.close()
    })
    // Not before: the next question needs the terminal as this one found it.
    lines.once("close", () => resume(answer === undefined ? Effect.interrupt : Effect.succeed(answer)))
    return Effect.sync(() => lines.close())
  }).pipe(Effect.ensuring(Effect.sync(() => hidden && process.stderr.write("\n"))))

/** What is typed, visibly. */
export const askLine = (question: string): Effect.Effect<string> => ask(question, false)

/** What is typed, invisibly. */
export const askHidden = (question: string): Effect.Effect<string> => ask(question, true)

/** Whether it was a yes; anything else is a no. */
export const askYes = (question: string): Effect.Effect<boolean> =>
  Effect.map(ask(`${question} [y/N] `, false), (answer) => /^y(es)?$/i.test(answer))

/** All of standard input, without what surrounds it. */
export const standardInput: Effect.Effect<string> = Effect.map(
  Effect.promise(() => textOf(process.stdin)),
  (whole) => whole.trim()
)
