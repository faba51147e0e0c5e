/**
 * The definition of a resource: every input and output with its type, unit, default and the effect of a change. It
 * is the one source for validation, the TypeScript types, the classes, the documentation and the plugin's schema.
 * The bounds of the types are those of the API.
 */
import { isHidden, isUnknown, present, type Properties } from "./Properties.ts"
import { isIP, isIPv6 } from "node:net"
import type { Words } from "../HostWords.ts"

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
  /** The text instead, where the program sets this other input. */
  readonly requiredBeside?: readonly [input: string, text: string]
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

/** All outputs of a definition besides its inputs: where they are made, one that is missing does not compile. */
export type OutputValues<D extends Definition> = Properties & { readonly [Name in keyof D["outputs"]]: unknown }

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
export const validateInputs = (
  { inputs: defined }: Definition,
  inputs: Properties,
  { input: show }: Words
): ReadonlyArray<CheckFailure> => {
  const values = present(inputs)
  const names = Object.keys(defined)
  const invalid = Object.entries(defined).flatMap(([name, input]): Array<CheckFailure> => {
    const { names: target, required, requiredBeside: [other, instead] = [], secret, type } = input
    const value = values[name]
    if (value === undefined) {
      const isSetByName = values[nameInput(defined, name) ?? ""] !== undefined
      return required === undefined || isSetByName
        ? []
        : [{
          property: "",
          reason: `${show(name)} is missing: ${other !== undefined && values[other] !== undefined ? instead : required}`
        }]
    }
    // An unknown value may turn out to be none.
    if (target !== undefined && values[target] !== undefined && !isUnknown([value, values[target]])) {
      return [{ property: name, reason: `${show(name)} and ${show(target)} are both set: remove one of them` }]
    }
    const problem = isUnknown(value) ? undefined : type.problem(value)
    return problem === undefined ? [] : [{ property: secret === true ? "" : name, reason: `${show(name)} ${problem}` }]
  })
  const unsupported = Object.keys(values).filter((name) => !isHidden(name) && defined[name] === undefined)
  return [
    ...invalid,
    ...unsupported.map((name) => ({
      property: "",
      reason: `${name} is not an input of this resource; its inputs are ${names.map(show).join(", ")}`
    }))
  ]
}

// Durations in programs and configuration: "90s", "10m", "1h30m", "500ms".

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/gy
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/

/** In milliseconds; undefined when the text is not a duration. */
export const parseDuration = (text: string): number | undefined => {
  if (!WHOLE.test(text)) return undefined
  return [...text.matchAll(PART)].reduce((sum, [, number, unit]) => sum + Number(number) * (UNITS[unit ?? ""] ?? 0), 0)
}

/** 90000 becomes "90s", 600000 becomes "10m", 999.5 becomes "1s". */
export const formatDuration = (exact: number): string => {
  const ms = Math.round(exact)
  if (ms % 60_000 === 0 && ms > 0) return `${ms / 60_000}m`
  return ms >= 1_000 ? `${Math.round(ms / 1_000)}s` : `${ms}ms`
}

export const integer = (min: number): ValueType<number> => ({
  text: `integer, ${min} or more`,
  schema: { type: "integer" },
  problem: (value) =>
    Number.isSafeInteger(value) && Number(value) >= min ? undefined : `must be an integer of ${min} or more`
})

export const number = (min: number): ValueType<number> => ({
  text: `number, ${min} or more`,
  schema: { type: "number" },
  problem: (value) =>
    typeof value === "number" && Number.isFinite(value) && value >= min
      ? undefined
      : `must be a number of ${min} or more`
})

export const boolean: ValueType<boolean> = {
  text: "boolean",
  schema: { type: "boolean" },
  problem: (value) => typeof value === "boolean" ? undefined : "must be true or false"
}

/** The length is counted in Unicode code points, as the API does. */
export const text = (min: number, max: number): ValueType<string> => ({
  text: `string, ${min} to ${max} characters`,
  schema: { type: "string" },
  problem: (value) => {
    if (typeof value !== "string") return "must be a string"
    const length = [...value].length
    return length >= min && length <= max ? undefined : `must have ${min} to ${max} characters`
  }
})

export const oneOf = <const Word extends string>(words: ReadonlyArray<Word>): ValueType<Word> => ({
  text: words.map((one) => `"${one}"`).join(" or "),
  schema: { type: "string", enum: words },
  problem: (value) => words.some((word) => word === value) ? undefined : `must be one of ${words.join(", ")}`
})

const DIGITS = /^[1-9]\d*$/
const ID_PROBLEM = "must be the id of an instance, such as instance.id"

/** Accepted as a number, too; the engine stores ids as strings. */
export const instanceId: ValueType<string> = {
  text: "id of an instance",
  schema: { type: "string" },
  typescript: { input: "string | number", output: "string" },
  problem: (value) =>
    (typeof value === "string" || typeof value === "number") && DIGITS.test(String(value)) ? undefined : ID_PROBLEM,
  canonical: String
}

/** "2001:DB8:0::1" becomes "2001:db8::1"; a text that is not an IPv6 address is unchanged. */
export const canonicalAddress = (ip: string): string =>
  isIPv6(ip) && URL.canParse(`http://[${ip}]`) ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip

/** An IPv6 address may be spelled in any way. */
export const address: ValueType<string> = {
  text: "IPv4 or IPv6 address",
  schema: { type: "string" },
  problem: (value) => typeof value === "string" && isIP(value) !== 0 ? undefined : "must be an IPv4 or IPv6 address",
  canonical: (value) => canonicalAddress(String(value))
}

/** Values that are only compared with the previous ones. */
export const triggers: ValueType<ReadonlyArray<unknown>> = {
  text: "array of any values",
  schema: { type: "array", items: { $ref: "pulumi.json#/Any" } },
  typescript: { input: "ReadonlyArray<pulumi.Input<unknown>>", output: "ReadonlyArray<unknown>" },
  problem: (value) => Array.isArray(value) ? undefined : "must be an array; a change of its values is the trigger"
}

const union = (words: ReadonlyArray<string>): string => words.map((word) => `"${word}"`).join(" | ")

/** Durations by phase: "90s", "10m", "1h30m". */
export const timeouts = <const Phase extends string>(
  phases: ReadonlyArray<Phase>
): ValueType<{ readonly [P in Phase]?: string }> => ({
  text: `object of durations such as "90s" or "10m": ${phases.join(", ")}`,
  schema: { type: "object", additionalProperties: { type: "string" } },
  typescript: {
    input: `{ readonly [P in ${union(phases)}]?: pulumi.Input<string> }`,
    output: `{ readonly [P in ${union(phases)}]?: string }`
  },
  problem: (value) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) {
      return `must be an object such as {${phases[0]}: "10m"}`
    }
    for (const [phase, duration] of Object.entries(value)) {
      if (!phases.some((known) => known === phase)) return `has no phase ${phase}; use ${phases.join(", ")}`
      if (typeof duration !== "string" || !parseDuration(duration)) {
        return `${phase} must be a duration such as "90s" or "10m"`
      }
    }
    return undefined
  }
})
