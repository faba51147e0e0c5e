/** Checks of input with their errors. The panel's contract has them, too, and its types are those of a browser. */
import * as Schema from "effect/Schema"
import { ErrorType } from "#contract/Primitives"

/** A check with the type and message of its validation error. */
export const rule = <A>(type: string, message: string, holds: (value: A) => boolean) =>
  Schema.makeFilter<A>(holds, { message, expected: message, [ErrorType]: type })

/** The checks of a number within bounds. */
export const between = (min: number, max: number) =>
  [
    rule<number>("greater_than_equal", `Input should be greater than or equal to ${min}`, (value) => value >= min),
    rule<number>("less_than_equal", `Input should be less than or equal to ${max}`, (value) => value <= max)
  ] as const
