/**
 * One definition for each operator command. All its callers derive from it: the decoding of its input, the types of
 * its use case, its subcommand of `vps-service admin`, and the panel's call. Schemas are created on first use, so that
 * a service without operator commands does not pay for them.
 */
import * as Schema from "effect/Schema"

type Fields = Schema.Struct.Fields
type Input<F extends Fields> = Schema.Struct<F>["Type"]

/** The fields of a result, or of its rows. */
type FieldOf<R extends Schema.Top> = R["Type"] extends ReadonlyArray<infer Row> ? keyof Row : keyof R["Type"]

/** The pages of a list: the input with which the next one begins, and the field of the last row that it takes. */
export interface Pages<Field = PropertyKey> {
  readonly from: "after" | "before"
  readonly field: Field
}

interface Given<F extends Fields, R extends Schema.Top, HostOnly extends boolean> {
  /** One sentence without a period, for the help. */
  readonly text: string
  /** For the list of commands; the text by default. */
  readonly short?: string
  /** Each follows `vps-service admin`. */
  readonly examples?: ReadonlyArray<string>
  /** Each field with its place on the command line. Default: none. */
  readonly input?: () => F
  readonly result: () => R
  /** The columns of a table. Default: all fields. */
  readonly columns?: ReadonlyArray<FieldOf<R>>
  readonly pages?: Pages<FieldOf<R>>
  /** Printed after the result, for people. */
  readonly note?: string
  /** For a command that acts: true if this input changes nothing. */
  readonly unless?: (input: Input<F>) => boolean
  /** False if the panel executes an act without a recent sign-in: it moves no money and gives no access. */
  readonly fresh?: boolean
  /** True if it is about files or secrets of the host, so that the panel does not have it. */
  readonly hostOnly?: HostOnly
}

const define =
  (isRead: boolean) =>
  <R extends Schema.Top, F extends Fields = Record<never, never>, HostOnly extends boolean = false>(
    {
      columns,
      fresh,
      hostOnly,
      input,
      pages,
      result,
      unless = () =>
        isRead,
      ...help
    }: Given<F, R, HostOnly>
  ) => ({
    ...help,
    columns: columns as ReadonlyArray<string> | undefined,
    pages: pages as Pages<string> | undefined,
    fresh: fresh ?? !isRead,
    hostOnly: (hostOnly ?? false) as HostOnly,
    input: () => Schema.Struct(input?.() ?? {} as F),
    result,
    /** True if the command changes something with this input, so that it is recorded in the audit log. */
    isAct: (value: unknown): boolean => !unless(value as Input<F>)
  })

export const reads = define(true)
export const acts = define(false)

/** A field on the command line. */
export interface Parameter {
  /** `either`: an argument, or a flag of the same name. */
  readonly place: "argument" | "flag" | "either"
  /** Default: the field's own, without `_id`. */
  readonly name?: string
  readonly text: string
  /** For programs that leave it out; the socket and the panel send every required field. */
  readonly initial?: string | number | boolean
}

/** The annotation of a field's schema. An optional field without it is not on the command line. */
export const PARAMETER = "vps:parameter"

/** An argument, by its position. */
export const argument = <S extends Schema.Top>(schema: S, name: string, text: string) =>
  schema.annotate({ [PARAMETER]: { place: "argument", name, text } satisfies Parameter })

/** A flag of the field's name. */
export const flag = <S extends Schema.Top>(schema: S, text: string, more: Pick<Parameter, "initial" | "name"> = {}) =>
  schema.annotate({ [PARAMETER]: { place: "flag", text, ...more } satisfies Parameter })

/** An argument that may also be a flag. */
export const either = <S extends Schema.Top>(schema: S, text: string) =>
  schema.annotate({ [PARAMETER]: { place: "either", text } satisfies Parameter })

/** A flag without a value, off by default. */
export const toggle = (text: string) => flag(Schema.Boolean, text, { initial: false })

/** A flag that may be absent. */
export const optional = <S extends Schema.Top>(schema: S, text: string) => Schema.optionalKey(flag(schema, text))
