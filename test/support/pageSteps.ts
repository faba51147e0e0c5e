/** Steps of a reader for the blocks of code on a page: to type it, to save it, to run it, or the reason for none. */
import { stripVTControlCharacters } from "node:util"
import { assert } from "vitest"
import type { Block } from "./guide.ts"
import type { Reader } from "./reader.ts"
import type { ServiceProcess } from "./serviceProcess.ts"

/** All that a step works with. */
export interface Context {
  readonly reader: Reader
  readonly service: ServiceProcess
  /** Texts of the page for something of the reader's own, and that. */
  readonly values: Map<string, string>
}

export type Step = (block: Block, context: Context) => Promise<unknown> | void

/** A program that a step needs, and whether this computer has it. */
export interface Needed {
  readonly program: string
  readonly there: boolean
}

/** For a block: a step, or the reason why there is none. */
export interface Entry {
  readonly step?: Step
  readonly needs?: Needed | undefined
  readonly reason?: string
}

export const notRun = (reason: string): Entry => ({ reason })
export const on = (needs: Needed, { step }: Entry): Entry => ({ step: step!, needs })

/** A text of the page that is typed in another way, and why. */
export type Edit = readonly [text: string, instead: string, why: string]

const edited = (code: string, edits: ReadonlyArray<Edit>): string =>
  edits.reduce((before, [text, instead]) => {
    assert.include(before, text)
    return before.replaceAll(text, instead)
  }, code)

/** The code with the reader's own key, URL, and so on. */
const own = (code: string, { values }: Context): string =>
  [...values].reduce((text, [standsFor, value]) => text.replaceAll(standsFor, value), code)

export interface Typing {
  readonly edits?: ReadonlyArray<Edit>
  /** Typed by the person when a command reads its input. */
  readonly input?: (context: Context) => string
  /** Commands that the page leaves to its readers, before the block and after it. */
  readonly first?: string
  readonly last?: string
}

/** Types the commands of the block, and matches what they print. */
export const types = (expected: RegExp, { edits = [], first = "", input, last = "" }: Typing = {}): Entry => ({
  step: async ({ code }, context) => {
    const commands = `${first}\n${own(edited(code, edits), context)}\n${last}`
    assert.match(await context.reader.type(commands, input?.(context)), expected)
  }
})

/** Saves the block as the file that the page names, or else this entry. */
export const saves = (name?: string): Entry => ({
  step: ({ code, file = name! }, context) => context.reader.write(file, own(code, context))
})

export interface Running {
  readonly file?: string
  /** Commands before it. */
  readonly first?: string
  /** The program that the block continues, in the same file. */
  readonly prelude?: string
  readonly command?: string
}

/** Saves the block as a program and runs it, with `node` unless another command is named. */
export const runs = (
  expected: RegExp,
  { file = "program.ts", first = "", prelude = "", command = `node ${file}` }: Running = {}
): Entry => ({
  step: async ({ code }, context) => {
    context.reader.write(file, prelude + code)
    assert.match(await context.reader.type(`${first}\n${own(command, context)}`), expected)
  }
})

/** Types all lines but the last, which stays in a second terminal, until it has printed what the page says. */
export const leavesRunning = (ready: RegExp, edits: ReadonlyArray<Edit> = []): Entry => ({
  step: async ({ code }, context) => {
    const lines = own(edited(code, edits), context).trim().split("\n")
    const command = lines.pop()!
    await context.reader.type(lines.join("\n"))
    const [, key] = ready.exec(await context.reader.leaveRunning(command, ready))!
    if (key !== undefined) context.values.set("<api_key>", key)
  }
})
export const EMULATOR = /"api_key":"([^"]+)"/

/** The page shows what commands have printed before. */
export const wasPrinted: Entry = {
  step: ({ code }, { reader }) => {
    // Engines wrap lines, and draw boxes around them.
    const words = (text: string): string => stripVTControlCharacters(text).replaceAll(/[\s│]+/g, " ").trim()
    for (const line of code.split("\n")) assert.include(words(reader.printed), words(line))
  }
}
