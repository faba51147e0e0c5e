/**
 * The definition of a resource: every input and output with its type, unit, default and the effect of a change. It is
 * the one source for validation, the TypeScript types, the classes, the documentation and the plugin's schema.
 */
import { isHidden, isUnknown, present, type Properties } from "./Properties.ts"

/**
 * The effect of changing an input. nothing: the new value is recorded. in place: the instance keeps running. power
 * cycle: the instance is powered off or reboots. data loss: the disk is overwritten. replaced: a new resource is
 * created. refused: the check fails.
 */
export type Change = "nothing" | "in place" | "power cycle" | "data loss" | "replaced" | "refused"

/** A type as Pulumi's schema writes it; `pulumi.json#/Any` is its name for any value. */
export type SchemaType = { readonly $ref: "pulumi.json#/Any" } | {
  readonly type: "integer" | "number" | "string" | "boolean" | "array" | "object"
  readonly items?: SchemaType
  readonly additionalProperties?: SchemaType
  readonly properties?: Readonly<Record<string, SchemaType>>
  readonly enum?: ReadonlyArray<string>
}

/** The values that an input accepts; `A` is their TypeScript type. */
export interface ValueType<A = unknown> {
  /** For the documentation: "integer, 1 or more". */
  readonly text: string
  readonly schema: SchemaType
  /** For the classes, where the schema says less: the type of the argument, and of the output. */
  readonly typescript?: { readonly input: string; readonly output: string }
  /** Returns what is wrong with a value, or undefined. Never repeats the value: it may be a secret. */
  readonly problem: (value: unknown) => string | undefined
  /** Values with the same canonical form are equal; without this, those that are the same. */
  readonly canonical?: (value: unknown) => unknown
  /** Never set: it carries `A` to `InputValues`. */
  readonly value?: A
}

export interface Input {
  readonly type: ValueType
  /** One or two sentences. */
  readonly description: string
  /** The input is required, unless it is set by name; the text completes the error "<name> is missing: ...". */
  readonly required?: string
  /** It sets this other input by a name: a program has one of the two. */
  readonly names?: string
  readonly unit?: string
  /** The meaning of leaving it out. Without a default, an input that is left out is not managed. */
  readonly default?: string
  readonly secret?: true
  /** When it is left out, the service chooses the value, and the output shows it. */
  readonly serverChosen?: true
  /** The output shows a new value only after a later operation has applied it. */
  readonly deferred?: true
  readonly change: Change
  /** Details of a change, in full sentences, where `change` alone does not say it. */
  readonly effect?: string
}

export interface Output {
  readonly schema: SchemaType
  readonly description: string
  readonly unit?: string
  readonly secret?: true
  /** It can be undefined; the description says when. */
  readonly optional?: true
  /** Once set, it never changes during the life of the resource. */
  readonly stable?: true
  /** It shows the pending values of deferred inputs. */
  readonly deferred?: true
}

export interface Definition {
  /** The last part of its type token: `vps:index:<name>`. */
  readonly name: string
  readonly description: string
  /** In the order in which problems are reported and the documentation lists them. */
  readonly inputs: Readonly<Record<string, Input>>
  /** Outputs other than the inputs; every input is an output, too. */
  readonly outputs: Readonly<Record<string, Output>>
}

/** The input that sets this one by a name, if there is any. */
export const nameInput = (inputs: Definition["inputs"], name: string): string | undefined =>
  Object.keys(inputs).find((one) => inputs[one]?.names === name)

/** True for an input that every program has. */
export const isRequired = (inputs: Definition["inputs"], name: string): boolean =>
  inputs[name]?.required !== undefined && nameInput(inputs, name) === undefined

type ValueOf<I> = I extends { readonly type: ValueType<infer A> } ? A : never
type RequiredNames<Inputs> = {
  [Name in keyof Inputs]: Inputs[Name] extends { readonly required: string } ? Name : never
}[keyof Inputs]

/** The inputs of a definition after `check` has validated them. */
export type InputValues<D extends Definition> =
  & { readonly [Name in RequiredNames<D["inputs"]>]: ValueOf<D["inputs"][Name]> }
  & { readonly [Name in Exclude<keyof D["inputs"], RequiredNames<D["inputs"]>>]?: ValueOf<D["inputs"][Name]> }

// Validation of a resource's inputs against its definition.

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
