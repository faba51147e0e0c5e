/**
 * How a resource is defined: every input and output with its form, unit, default and what a change of it does. The one
 * source for judging inputs, for the documentation and for the plugin's schema; a test holds the classes' types to it.
 */

/**
 * What a change of an input does. nothing: the new value is recorded. in place: the service is told. power cycle: the
 * server is off or reboots on the way. data loss: what is on the disk is lost. replaced: a new resource takes over.
 * refused: the check fails.
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

/** What a value must look like. */
export interface ValueType {
  /** For people: "integer, 1 or more". */
  readonly text: string
  readonly schema: SchemaType
  /** Says what is wrong with a value, or nothing. Never repeats the value: it may be a secret. */
  readonly problem: (value: unknown) => string | undefined
}

export interface Input {
  readonly type: ValueType
  /** What it is, in one or two sentences. */
  readonly description: string
  /** It must be given; the text says what it is, for who left it out. */
  readonly required?: string
  /** What a number counts. */
  readonly unit?: string
  /** What its absence means; absent: it is not managed. */
  readonly default?: string
  readonly secret?: true
  /** Without it the service chooses, and the output shows what. */
  readonly serverChosen?: true
  /** The output shows a change only once something else has carried it out. */
  readonly deferred?: true
  readonly change: Change
  /** What a change does, where the word alone does not say it. */
  readonly effect?: string
}

export interface Output {
  readonly schema: SchemaType
  readonly description: string
  readonly unit?: string
  readonly secret?: true
  /** It can be undefined; the description says when. */
  readonly optional?: true
  /** Once known, it stays what it is for as long as the resource lives. */
  readonly stable?: true
  /** It shows what waits of the inputs that are carried out later. */
  readonly deferred?: true
}

export interface Definition {
  /** The last part of its type token: `vps:index:<name>`. */
  readonly name: string
  readonly description: string
  /** In the order in which problems are reported and the documentation lists them. */
  readonly inputs: Readonly<Record<string, Input>>
  /** Those that are no inputs; every input is an output, too. */
  readonly outputs: Readonly<Record<string, Output>>
}
