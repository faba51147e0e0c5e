/**
 * What a wait shows on standard error: one line with a spinner that is drawn over and gone at the end on a terminal,
 * a line for each change anywhere else.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { environmentOf } from "../Config.ts"
import { SPINNER_MILLIS } from "../Limits.ts"
import { span } from "../output/Words.ts"
import { harmless, surfaceOf } from "./Surface.ts"

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const CLEAR_LINE = "\r\u001b[2K"
const MILLIS = 1_000

/** Says where something stands. */
export type Say = (text: string) => void

const spinner = Effect.gen(function*() {
  const began = yield* Clock.currentTimeMillis
  const state = { text: "", frame: 0 }
  const columns = surfaceOf(process.stderr, environmentOf()).columns
  const draw = Effect.map(Clock.currentTimeMillis, (now) => {
    if (state.text === "") return
    const line = `${FRAMES[state.frame++ % FRAMES.length]} ${state.text}, ${span((now - began) / MILLIS)}`
    // A line that wraps could not be drawn over.
    process.stderr.write(CLEAR_LINE + line.slice(0, columns - 1))
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(draw, Effect.sleep(SPINNER_MILLIS))))
  yield* Effect.addFinalizer(() => Effect.sync(() => void process.stderr.write(CLEAR_LINE)))
  return (text: string) => void (state.text = harmless(text))
})

const lines = Effect.sync((): Say => {
  let last = ""
  return (text) => {
    if (text === last) return
    last = text
    process.stderr.write(`${harmless(text)}\n`)
  }
})

/** Runs a wait that says how it goes. */
export const withProgress = <A, E, R>(wait: (say: Say) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.scoped(Effect.gen(function*() {
    const say = yield* surfaceOf(process.stderr, environmentOf()).redraws ? spinner : lines
    return yield* wait(say)
  })) as Effect.Effect<A, E, R>
