/** The descriptions of inputs and outputs in full sentences: for schemas, classes and reference pages. */
import type { Change, Input, Output } from "./Definition.ts"

/** Joins the defined parts to sentences, each with a period at its end. */
export const sentences = (...parts: ReadonlyArray<string | undefined>): string =>
  parts.filter((part) => part !== undefined && part !== "").map((part) => /[.!?]$/.test(part!) ? part : `${part}.`)
    .join(" ")

/** The effect of a change without further details. */
const PLAIN_CHANGES: Partial<Readonly<Record<Change, string>>> = {
  "in place": "A change is applied in place",
  replaced: "A change replaces the resource"
}

/** Booleans and choices, which the type of the argument shows. */
const SHOWN_BY_TYPE = /^(boolean|"\w+" or .*)$/

export const inputText = ({ change, default: otherwise, description, effect, type, unit }: Input): string =>
  sentences(
    description,
    SHOWN_BY_TYPE.test(type.text) ? undefined : `Takes: ${type.text}${unit === undefined ? "" : `, in ${unit}`}`,
    otherwise === undefined ? undefined : `Default: ${otherwise}`,
    effect === undefined
      ? PLAIN_CHANGES[change]
      : `A change${change === "nothing" ? "" : ` (${change})`} ${effect.charAt(0).toLowerCase()}${effect.slice(1)}`
  )

export const outputText = ({ description, unit }: Pick<Output, "description" | "unit">): string =>
  sentences(description, unit === undefined ? undefined : `In ${unit}`)
