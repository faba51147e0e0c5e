/** Subcommands that derive from the contract: arguments, flags, help, and the columns of tables. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type * as Param from "effect/cli/Param"
import type * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { usageHint } from "@pulumi-vps/contract/CommandLine"
import {
  type CommandName,
  CONTRACT,
  type InputOf,
  type ResultOf,
  type RowOf
} from "../../contract/operator/Commands.ts"
import { type Pages, PARAMETER, type Parameter } from "../../contract/operator/Define.ts"
import { AMOUNT, WORDS } from "../../contract/Fields.ts"
import { rejectUsage } from "../Input.ts"
import { perform, type Performed, print } from "./AdminCommand.ts"
import { note } from "./Output.ts"

export type AnyParam = Param.Param<Param.ParamKind, unknown>

/** The value of a field that does not derive, and the parameter that it is read from. */
interface Replaced<Value> {
  readonly param?: AnyParam
  /** Undefined leaves the field out. */
  readonly read: (given: never) => Performed<Value | undefined>
}

/** An effect that may ask the person at the terminal. */
export type Confirmation = Effect.Effect<
  void,
  Effect.Error<Performed<void>> | Effect.Error<Prompt.Prompt<boolean>>,
  Effect.Services<Performed<void>> | Prompt.Environment
>

/** The parts of a subcommand that do not derive. */
export interface CommandOverride<Name extends CommandName> {
  readonly replace?: { readonly [Field in keyof InputOf<Name>]?: Replaced<InputOf<Name>[Field]> }
  /** Flags of this command line alone. */
  readonly extra?: Readonly<Record<string, AnyParam>>
  /** Executes something else if it returns an effect. */
  readonly instead?: (input: InputOf<Name>, extra: Readonly<Record<string, unknown>>) => Performed<void> | undefined
  /** Before it is executed: a question, or a failure. */
  readonly before?: (input: InputOf<Name>, extra: Readonly<Record<string, unknown>>) => Confirmation
  /** A row as tables show it. */
  readonly view?: (row: RowOf<Name>) => object
  /** After the result is printed: notes, or a failure that scripts notice. */
  readonly afterwards?: (result: ResultOf<Name>, input: InputOf<Name>) => Performed<void>
}

type Input = Readonly<Record<string, unknown>>

interface AnyOwn {
  readonly replace?: Readonly<Record<string, Replaced<unknown>>>
  readonly extra?: Readonly<Record<string, AnyParam>>
  readonly instead?: (input: Input, extra: Input) => Performed<void> | undefined
  readonly before?: (input: Input, extra: Input) => Confirmation
  readonly view?: (row: object) => object
  readonly afterwards?: (result: unknown, input: Input) => Performed<void>
}

const [ARGUMENTS, FLAGS] = [
  { String: Argument.String, Int: Argument.Int, Finite: Argument.Finite, Literals: Argument.Literals },
  { String: Flag.String, Int: Flag.Int, Finite: Flag.Finite, Literals: Flag.Literals }
]

const isInteger = ({ checks }: SchemaAST.AST): boolean =>
  (checks ?? []).some(({ annotations }) =>
    (annotations?.["representation"] as { readonly id?: string } | undefined)?.id === "effect/schema/isInt"
  )

/** The parser of a field, by the type of its schema. */
const parserOf = (place: "argument" | "flag", name: string, ast: SchemaAST.AST): AnyParam => {
  const parsers = place === "argument" ? ARGUMENTS : FLAGS
  const words = SchemaAST.resolveAt<ReadonlyArray<string>>(WORDS)(ast)
  if (words !== undefined) return parsers.Literals(name, words)
  if (SchemaAST.isBoolean(ast)) return Flag.Boolean(name)
  if (SchemaAST.isString(ast)) return parsers.String(name)
  return isInteger(ast) ? parsers.Int(name) : parsers.Finite(name)
}

const optional = (param: AnyParam, text: string): AnyParam =>
  Flag.optional(Flag.withDescription(param as Flag.Flag<unknown>, text))

/** One field on the command line, and its value in the parsed parameters. */
interface Field {
  readonly field: string
  readonly params: Readonly<Record<string, AnyParam>>
  /** Undefined if it was not given. */
  readonly read: (parsed: Input) => Performed<unknown>
  /** The error if it was not given; undefined if it is optional. */
  readonly missing: string | undefined
}

const valueOf = (parsed: unknown): unknown => Option.isOption(parsed) ? Option.getOrUndefined(parsed) : parsed

/** An argument, or a flag of the same name. Two different values are wrong usage. */
const eitherOf = (field: string, name: string, text: string, ast: SchemaAST.AST): Omit<Field, "missing"> => ({
  field,
  params: {
    [`${field} argument`]: optional(parserOf("argument", name, ast), text),
    [field]: optional(parserOf("flag", name, ast), `The same as the argument "${name}"`)
  },
  read: (parsed) => {
    const [argument, flag] = [valueOf(parsed[`${field} argument`]), valueOf(parsed[field])]
    if (argument === undefined || flag === undefined || argument === flag) return Effect.succeed(argument ?? flag)
    return Effect.fail(rejectUsage(`The ${name} is ${argument}, but --${name} is ${flag}. Pass one of them.`))
  }
})

/** A flag that may be repeated. Empty is as if it was not given. */
const listOf = (field: string, name: string, text: string, ast: SchemaAST.Arrays): Omit<Field, "missing"> => {
  const flag = parserOf("flag", name, ast.rest[0]!) as Flag.Flag<unknown>
  return {
    field,
    params: {
      [field]: flag.pipe(Flag.withDescription(text), Flag.atLeast(1), Flag.withDefault([] as ReadonlyArray<unknown>))
    },
    read: (parsed) => {
      const values = parsed[field] as ReadonlyArray<unknown>
      return Effect.succeed(values.length === 0 ? undefined : values)
    }
  }
}

const single = (field: string, name: string, { initial, place, text }: Parameter, ast: SchemaAST.AST) => {
  const isOptional = ast.context?.isOptional === true
  const described = Flag.withDescription(
    parserOf(place === "argument" ? place : "flag", name, ast) as Flag.Flag<unknown>,
    text
  )
  const whole = initial !== undefined
    ? Flag.withDefault(described, initial)
    : isOptional
    ? Flag.optional(described)
    : described
  return { field, params: { [field]: whole }, read: (parsed: Input) => Effect.succeed(valueOf(parsed[field])) }
}

/** Undefined if the field is not on the command line. */
const fieldOf = (command: string, field: string, ast: SchemaAST.AST): Field | undefined => {
  const parameter = SchemaAST.resolveAt<Parameter>(PARAMETER)(ast)
  const isOptional = ast.context?.isOptional === true
  if (parameter === undefined) {
    if (isOptional) return undefined
    throw new Error(`${command}: the command line has no parameter for ${field}`)
  }
  const { name = field.replace(/_id$/, "").replaceAll("_", "-"), place, text } = parameter
  if (place === "either") {
    return {
      ...eitherOf(field, name, text, ast),
      missing: isOptional ? undefined : `Missing required argument: ${name}`
    }
  }
  if (SchemaAST.isArrays(ast)) {
    return { ...listOf(field, name, text, ast), missing: isOptional ? undefined : `Missing required flag: --${name}` }
  }
  // The parser requires it.
  return { ...single(field, name, parameter, ast), missing: undefined }
}

const replacedField = (field: string, { param, read }: Replaced<unknown>): Field => ({
  field,
  params: param === undefined ? {} : { [field]: param },
  read: (parsed) => read(parsed[field] as never),
  missing: undefined
})

/** The input of a command from parsed parameters. All that is missing is named at once. */
const inputFrom = Effect.fnUntraced(
  function*(path: ReadonlyArray<string>, fields: ReadonlyArray<Field>, parsed: Input) {
    const given = yield* Effect.forEach(
      fields,
      ({ field, missing, read }) => Effect.map(read(parsed), (value) => ({ field, missing, value }))
    )
    const missing = given.flatMap(({ missing, value }) => value === undefined && missing !== undefined ? [missing] : [])
    if (missing.length > 0) return yield* rejectUsage([...missing, usageHint(path)].join("\n"))
    return Object.fromEntries(given.flatMap(({ field, value }) => value === undefined ? [] : [[field, value]]))
  }
)

const isAmount = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isUnion(ast) ? ast.types.some(isAmount) : SchemaAST.resolveAt(AMOUNT)(ast) === true

/** The names of all fields with amounts, which tables show with their cents. */
const amountsIn = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (SchemaAST.isArrays(ast)) return ast.rest.flatMap(amountsIn)
  if (!SchemaAST.isObjects(ast)) return []
  return ast.propertySignatures.flatMap(({ name, type }) => isAmount(type) ? [String(name)] : amountsIn(type))
}

/** The columns of a row. */
const pick = (names: ReadonlyArray<string>) => (row: object) =>
  Object.fromEntries(names.map((name) => [name, (row as Input)[name]]))

/** Says on standard error that there are more rows, and how to print them. */
const noteMore = Effect.fnUntraced(
  function*(name: CommandName, input: Input, rows: ReadonlyArray<Input>, { field, from }: Pages<string>) {
    const last = rows.at(-1)?.[field]
    if (last === undefined || rows.length < (input["limit"] as number)) return
    const next = { ...input, [from]: last, limit: 1 } as InputOf<CommandName>
    const more = (yield* perform(name, next)) as ReadonlyArray<unknown>
    if (more.length > 0) yield* note(`There are more. Add --${from} ${last} for the next page.`)
  }
)

/** The subcommand of a command. */
export const commandOf = <const Name extends CommandName>(name: Name, typed: CommandOverride<Name> = {}) => {
  const own = typed as AnyOwn
  const definition: {
    readonly columns: ReadonlyArray<string> | undefined
    readonly examples?: ReadonlyArray<string>
    readonly note?: string
    readonly pages: Pages<string> | undefined
    readonly short?: string
    readonly text: string
  } = CONTRACT[name]
  const { columns, examples = [], note: said, pages, short, text } = definition
  const fields = Object.entries<Schema.Top>(CONTRACT[name].input().fields).flatMap(([field, { ast }]) => {
    const replaced = own.replace?.[field]
    return (replaced === undefined ? fieldOf(name, field, ast) : replacedField(field, replaced)) ?? []
  })
  const path = name.split(".").map((word) => word.replaceAll("_", "-"))
  const run = Effect.fnUntraced(function*(input: Input, extra: Input) {
    const other = own.instead?.(input, extra)
    if (other !== undefined) return yield* other
    if (own.before !== undefined) yield* own.before(input, extra)
    const result = yield* perform(name, input as InputOf<Name>)
    const amounts = new Set(amountsIn(CONTRACT[name].result().ast))
    yield* print(result, { amounts, view: (row) => pick(columns ?? Object.keys(row))(own.view?.(row as never) ?? row) })
    if (said !== undefined) yield* note(said)
    if (pages !== undefined) yield* noteMore(name, input, result as unknown as ReadonlyArray<Input>, pages)
    if (own.afterwards !== undefined) yield* own.afterwards(result, input)
  })
  return Command.make(
    path[1]!,
    {
      fields: Object.assign({}, ...fields.map(({ params }) => params)) as Record<string, AnyParam>,
      extra: own.extra ?? {}
    },
    ({ extra, fields: parsed }) =>
      Effect.flatMap(inputFrom(["vps-service", "admin", ...path], fields, parsed), (input) => run(input, extra))
  ).pipe(
    Command.withDescription(text),
    Command.withShortDescription(short ?? text),
    Command.withExamples(examples.map((example) => ({ command: `vps-service admin ${example}` })))
  )
}
