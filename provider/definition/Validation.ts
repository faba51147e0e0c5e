/** Judging what a program gives for the inputs of a resource. */
import type { Definition, Input } from "./Definition.ts"
import { isHidden, isUnknown, present, type Properties } from "./Properties.ts"

export interface CheckFailure {
  /** Empty for a problem of the whole resource, and for secrets: the engine prints the property's value beside it. */
  readonly property: string
  readonly reason: string
}

export interface CheckResult {
  readonly inputs: Properties
  readonly failures: ReadonlyArray<CheckFailure>
}

/** All problems of the inputs, in the definition's order. What is not known yet is judged when it is. */
export const validateInputs = ({ inputs: known }: Definition, inputs: Properties): ReadonlyArray<CheckFailure> => {
  const given = present(inputs)
  const wrong = Object.entries(known).flatMap(([name, input]) => {
    const value = given[name]
    if (value === undefined) return input.required === undefined ? [] : [missing(name, input.required)]
    const problem = isUnknown(value) ? undefined : input.type.problem(value)
    return problem === undefined ? [] : [failure(name, input, problem)]
  })
  const unknown = Object.keys(given).filter((name) => !isHidden(name) && known[name] === undefined)
  return [...wrong, ...unknown.map((name) => unsupported(name, Object.keys(known)))]
}

const missing = (name: string, what: string): CheckFailure => ({ property: "", reason: `${name} is missing: ${what}` })

/** The engine prints the value of the property that a failure names, so a secret's failure names none. */
const failure = (name: string, input: Input, problem: string): CheckFailure => ({
  property: input.secret === true ? "" : name,
  reason: `${name} ${problem}`
})

const unsupported = (name: string, known: ReadonlyArray<string>): CheckFailure => ({
  property: "",
  reason: `${name} is not an input of this resource; there are ${known.join(", ")}`
})
