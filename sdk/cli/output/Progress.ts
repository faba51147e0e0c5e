/**
 * Progress of a wait on standard error: on a terminal one line with a spinner, which disappears at the end; elsewhere a
 * line for each change.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { sanitize } from "#contract/Text"
import { readEnvironment } from "../Environment.ts"
import { SPINNER_MILLIS } from "../Limits.ts"
import { duration } from "./Format.ts"
import { detectCapabilities } from "../terminal/TerminalCapabilities.ts"

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
