/** What may be given for one input, and what a change of it does. */
import { isHidden, isUnknown, present, type Properties } from "./Properties.ts"
import type { CheckFailure } from "./Checked.ts"

/**
 * recorded: the new value is stored, nothing is called. in place: the service is told. replaced: a new resource takes
 * over. refused: it can't be done (yet); the change fails before anything is touched.
 */
export type Change = "recorded" | "in place" | "replaced" | "refused"

export interface Field {
  /** Says what is wrong with a value, or nothing. Never repeats the value: it may be a secret. */
  readonly problem: (value: unknown) => string | undefined
  /** Must be given; the text says what it is. */
  readonly required?: string
  readonly secret?: true
  readonly change: Change
}

export const integer = (min: number) => (value: unknown): string | undefined =>
  Number.isSafeInteger(value) && Number(value) >= min ? undefined : `must be an integer of ${min} or more`

export const number = (min: number) => (value: unknown): string | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= min ? undefined : `must be a number of ${min} or more`

/** Length in Unicode code points, as the API counts it. */
export const text = (min: number, max: number) => (value: unknown): string | undefined => {
  if (typeof value !== "string") return "must be a string"
  const length = [...value].length
  return length >= min && length <= max ? undefined : `must have ${min} to ${max} characters`
}

export const word = (words: ReadonlyArray<string>) => (value: unknown): string | undefined =>
  typeof value === "string" && words.includes(value) ? undefined : `must be one of ${words.join(", ")}`

export interface Vocabulary {
  readonly fields: Readonly<Record<string, Field>>
  /** Names that a later version will understand. */
  readonly later: ReadonlyArray<string>
}

/** All problems of the inputs, in the table's order. What is not known yet is judged when it is. */
export const problemsOf = ({ fields, later }: Vocabulary, inputs: Properties): ReadonlyArray<CheckFailure> => {
  const given = present(inputs)
  const wrong = Object.entries(fields).flatMap(([name, field]) => {
    const value = given[name]
    if (value === undefined) return field.required === undefined ? [] : [missing(name, field.required)]
    const problem = isUnknown(value) ? undefined : field.problem(value)
    return problem === undefined ? [] : [failure(name, field, problem)]
  })
  const unknown = Object.keys(given).filter((name) => !isHidden(name) && fields[name] === undefined)
  return [...wrong, ...unknown.map((name) => unsupported(name, later, Object.keys(fields)))]
}

const missing = (name: string, what: string): CheckFailure => ({ property: "", reason: `${name} is missing: ${what}` })

/** The engine prints the value of the property that a failure names, so a secret's failure names none. */
const failure = (name: string, field: Field, problem: string): CheckFailure => ({
  property: field.secret === true ? "" : name,
  reason: `${name} ${problem}`
})

const unsupported = (name: string, later: ReadonlyArray<string>, known: ReadonlyArray<string>): CheckFailure => ({
  property: "",
  reason: later.includes(name)
    ? `${name} is not supported by this version of pulumi-vps; remove it, or upgrade the package when it is`
    : `${name} is not an input of this resource; there are ${known.join(", ")}`
})
