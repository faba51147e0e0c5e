/** Prints results to standard output: formatted for people, or complete for programs. */
import * as Effect from "effect/Effect"
import { escapeJson, sanitize } from "@pulumi-vps/contract/CommandLine"
import { readEnvironment } from "../Environment.ts"
import { detectCapabilities, sanitizeLines, type TerminalCapabilities } from "../terminal/Terminal.ts"
import * as Clock from "effect/Clock"
import { SPINNER_MILLIS } from "../Limits.ts"
import { duration } from "./Format.ts"
import { rawOf } from "../../client/host/View.ts"

// Progress of a wait on standard error: on a terminal one line with a spinner, which disappears at the end; elsewhere a
// line for each change.

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const CLEAR_LINE = "\r\u001b[2K"
const MILLIS = 1_000

/** Reports the current state. */
export type ReportProgress = (text: string) => void

const spinner = Effect.gen(function*() {
  const began = yield* Clock.currentTimeMillis
  const state = { text: "", frame: 0 }
  const columns = detectCapabilities(process.stderr, readEnvironment()).columns
  const draw = Effect.map(Clock.currentTimeMillis, (now) => {
    if (state.text === "") return
    const line = `${FRAMES[state.frame++ % FRAMES.length]} ${state.text}, ${duration((now - began) / MILLIS)}`
    // A wrapped line could not be redrawn.
    process.stderr.write(CLEAR_LINE + line.slice(0, columns - 1))
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(draw, Effect.sleep(SPINNER_MILLIS))))
  yield* Effect.addFinalizer(() => Effect.sync(() => void process.stderr.write(CLEAR_LINE)))
  return (text: string) => void (state.text = sanitize(text))
})

const lineReporter = Effect.sync((): ReportProgress => {
  let last = ""
  return (text) => {
    if (text === last) return
    last = text
    process.stderr.write(`${sanitize(text)}\n`)
  }
})

/** Runs a wait that reports its progress. */
export const withProgress = <A, E, R>(
  wait: (report: ReportProgress) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.scoped(Effect.gen(function*() {
    const report = yield* detectCapabilities(process.stderr, readEnvironment()).canRedraw ? spinner : lineReporter
    return yield* wait(report)
  })) as Effect.Effect<A, E, R>

export const OUTPUT_FORMATS = ["table", "json", "yaml", "id"] as const
export type OutputFormat = typeof OUTPUT_FORMATS[number]

/** The printed form of a type of result. */
export interface View<A> {
  /** The text for people. */
  readonly text: (result: A, capabilities: TerminalCapabilities) => string
  /** The IDs that `-o id` prints, one per line, as arguments for other commands. */
  readonly ids: (result: A) => ReadonlyArray<string | number>
}

/** Writes text to standard output. */
export const printRaw = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stdout.write(text))

/** Writes a note for people to standard error. Programs only read standard output. */
export const printNote = (text: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stderr.write(`${text}\n`))

/** The capabilities of standard output. */
export const stdoutCapabilities = (): TerminalCapabilities => detectCapabilities(process.stdout, readEnvironment())

/** JSON for programs, without control characters. */
export const json = (value: unknown, indent = 2): string => escapeJson(JSON.stringify(value, null, indent))

/** PyYAML, Ansible and Ruby read YAML 1.1, where a plain `on`, `1:20` or `2026-01-01` is not a text. */
const PLAIN = { lineWidth: 0, compat: "yaml-1.1" } as const
const QUOTED = { ...PLAIN, defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "QUOTE_DOUBLE" } as const

/** A plain `=` has a meaning of its own in YAML 1.1, at which PyYAML fails, and which `compat` does not know. */
const BARE_EQUALS = /(?:^|\s)=(?::|$)/m

/** Only quoted texts can have escapes; without control characters, no text needs them. */
const yaml = (value: unknown): Effect.Effect<string> =>
  Effect.map(Effect.promise(() => import("#sdk/cli/output/Yaml")), ({ stringify }) => {
    const plain = stringify(value, PLAIN)
    const isSafe = sanitizeLines(plain) === plain && !BARE_EQUALS.test(plain)
    return isSafe ? plain : escapeJson(stringify(value, QUOTED))
  })

const UNEXPECTED_RESPONSE = "vps: The service sent an unexpected response. Printing it as JSON."

/** Other hosts may omit all fields that a table shows: their responses are printed as JSON. */
const asText = <A>(result: A, { text }: View<A>): Effect.Effect<string> =>
  Effect.try(() => text(result, stdoutCapabilities())).pipe(
    Effect.catch(() => Effect.as(printNote(UNEXPECTED_RESPONSE), `${json(rawOf(result))}\n`))
  )

/** Renders a result in a format. */
export const render = <A>(format: OutputFormat, result: A, view: View<A>): Effect.Effect<string> => {
  switch (format) {
    case "table":
      return asText(result, view)
    case "json":
      return Effect.succeed(`${json(rawOf(result))}\n`)
    case "yaml":
      return yaml(rawOf(result))
    case "id":
      return Effect.succeed(view.ids(result).map((id) => `${sanitize(String(id))}\n`).join(""))
  }
}

/** Prints a result in a format. */
export const printAs = <A>(format: OutputFormat, result: A, view: View<A>): Effect.Effect<void> =>
  Effect.flatMap(render(format, result, view), printRaw)
