/** Validation of a resource's inputs against its definition. */
import { type Definition, nameInput } from "./Definition.ts"
import { isHidden, isUnknown, present, type Properties } from "./Properties.ts"

export interface CheckFailure {
  /** Empty for the resource as a whole, and for secrets: the engine prints the property's value with the reason. */
  readonly property: string
  readonly reason: string
}

export interface CheckResult {
  readonly inputs: Properties
  readonly failures: ReadonlyArray<CheckFailure>
}

/** All problems, in the definition's order. Unknown values are validated in the update, when they are known. */
export const validateInputs = ({ inputs: defined }: Definition, inputs: Properties): ReadonlyArray<CheckFailure> => {
  const values = present(inputs)
  const names = Object.keys(defined)
  const invalid = Object.entries(defined).flatMap(([name, input]): Array<CheckFailure> => {
    const { names: target, required, secret, type } = input
    const value = values[name]
    if (value === undefined) {
      const isSetByName = values[nameInput(defined, name) ?? ""] !== undefined
      return required === undefined || isSetByName ? [] : [{ property: "", reason: `${name} is missing: ${required}` }]
    }
    // An unknown value may turn out to be none.
    if (target !== undefined && values[target] !== undefined && !isUnknown([value, values[target]])) {
      return [{ property: name, reason: `${name} and ${target} are both set: remove one of them` }]
    }
    const problem = isUnknown(value) ? undefined : type.problem(value)
    return problem === undefined ? [] : [{ property: secret === true ? "" : name, reason: `${name} ${problem}` }]
  })
  const unsupported = Object.keys(values).filter((name) => !isHidden(name) && defined[name] === undefined)
  return [
    ...invalid,
    ...unsupported.map((name) => ({
      property: "",
      reason: `${name} is not an input of this resource; its inputs are ${names.join(", ")}`
    }))
  ]
}
