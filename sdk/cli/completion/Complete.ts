/**
 * `vps __complete SHELL WORDS...`: the scripts of `vps completions` run it at each Tab. It prints a candidate per line,
 * with a tab and a description, or `:files` if the shell should complete a file name.
 */
import type * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import { sanitize } from "#contract/Text"
import { printRaw } from "../output/Output.ts"
import { parseLine } from "../line/CommandLine.ts"
import { candidatesOf } from "./Sources.ts"

export const COMPLETE = "__complete"

/** Nothing else is offered: the shell would execute a part of a hostname like `$(...)` once the line is entered. */
const HARMLESS = /^[\w.:@+=-]+$/

/** Bash divides words at `=`: this joins them again. */
const joinWords = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.reduce<ReadonlyArray<string>>((joined, word, index) => {
    const last = joined.at(-1) ?? ""
    const continues = word === "=" ? last.startsWith("--") : words[index - 1] === "=" && last.endsWith("=")
    return continues ? [...joined.slice(0, -1), last + word] : [...joined, word]
  }, [])

/** Prints the words that can follow. */
export const complete = Effect.fnUntraced(
  function*(root: Command.Command.Any, [shell, ...words]: ReadonlyArray<string>) {
    const next = parseLine(Completions.fromCommand(root), shell === "bash" ? joinWords(words) : words)
    const { candidates, prefix, source, typed } = next
    if (source === "files") return yield* printRaw(":files\n")
    const all = [...candidates, ...(source === undefined ? [] : yield* candidatesOf(source, next))]
    const lines = all.filter(({ value }) => value.startsWith(typed) && HARMLESS.test(value))
      // For bash, the flag is a word of its own.
      .map(({ description, value }) => `${shell === "bash" ? "" : prefix}${value}\t${sanitize(description)}\n`)
    yield* printRaw(lines.join(""))
  }
)
