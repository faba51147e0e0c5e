/** The one way of what a command found to standard output: for people, or whole for programs. */
import * as Effect from "effect/Effect"
import { environmentOf } from "../Config.ts"
import { type Surface, surfaceOf } from "../terminal/Surface.ts"

export const FORMATS = ["table", "json", "yaml", "id"] as const
export type Format = typeof FORMATS[number]

/** How a result looks. */
export interface View<A> {
  /** For people. */
  readonly text: (result: A, surface: Surface) => string
  /** What `-o id` prints, a line each: what other commands take. */
  readonly ids: (result: A) => ReadonlyArray<string | number>
}

/** Writes to standard output, as it is. */
export const write = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stdout.write(text))

/** Something that a person should know beside the result; programs read standard output only. */
export const note = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stderr.write(`${text}\n`))

/** What standard output can show. */
export const outputSurface = (): Surface => surfaceOf(process.stdout, environmentOf())

/** JSON for programs; the control characters that JSON leaves as they are are escaped, too. */
export const json = (value: unknown, indent = 2): string =>
  JSON.stringify(value, null, indent).replaceAll(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** YAML is loaded only for those who ask for it: it takes as long as a request. */
const yaml = (value: unknown): Effect.Effect<string> =>
  Effect.map(Effect.promise(() => import("yaml")), ({ stringify }) => stringify(value, { lineWidth: 0 }))

const STRANGE = "vps: this host answers in a way that vps has no table for; here is all of it."

/** Other hosts may leave out what a table shows: a person gets what there is. */
const asText = <A>(result: A, { text }: View<A>): Effect.Effect<string> =>
  Effect.try(() => text(result, outputSurface())).pipe(
    Effect.catch(() => Effect.as(note(STRANGE), `${json(result)}\n`))
  )

/** A result in the wanted format. */
const rendered = <A>(format: Format, result: A, view: View<A>): Effect.Effect<string> => {
  switch (format) {
    case "table":
      return asText(result, view)
    case "json":
      return Effect.succeed(`${json(result)}\n`)
    case "yaml":
      return yaml(result)
    case "id":
      return Effect.succeed(view.ids(result).map((id) => `${id}\n`).join(""))
  }
}

/** Prints a result. */
export const show = <A>(format: Format, result: A, view: View<A>): Effect.Effect<void> =>
  Effect.flatMap(rendered(format, result, view), write)
