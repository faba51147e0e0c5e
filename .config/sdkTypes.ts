/**
 * `npm run generate`: generates the types of the Promise client as plain interfaces with their documentation, the
 * records from the contract and the calls from their sources. Programs then compile without effect, and editors show
 * names instead of the types that they stand for.
 */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Account from "#contract/Account"
import * as Backups from "#contract/Backups"
import * as Instance from "#contract/Instance"
import * as Isos from "#contract/Isos"
import * as Monitoring from "#contract/Monitoring"
import { SetWords, Unshown } from "#contract/Primitives"
import * as Rescue from "#contract/Rescue"
import { Scope } from "#contract/Scope"
import * as Services from "#contract/Services"
import * as Snapshots from "#contract/Snapshots"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { format, GENERATED } from "./generated.ts"
import { type Call, type Group, groups } from "./sdkSource.ts"
import { OPERATOR_COMMANDS, operatorCommands } from "./testingTypes.ts"

const path = (name: string) => fileURLToPath(new URL(`../sdk/client/${name}`, import.meta.url))
export const RECORDS = path("Records.ts")
export const SHAPES = path("host/Shapes.ts")
export const GROUPS = path("promise/Groups.ts")

/** The bodies and results of the calls. Each is followed by the records in it. */
const ROOTS = [
  "ServiceInfo",
  "Whoami",
  "PublicPlan",
  "OsOptions",
  "Instance",
  "CreateInstance",
  "DryRun",
  "ActionResult",
  "Hostname",
  "HostnameResult",
  "Rdns",
  "RdnsResult",
  "Reinstall",
  "Resize",
  "ResizeResult",
  "ResetPasswordResult",
  "AvailablePlan",
  "LiveStatus",
  "Metrics",
  "TaskPage",
  "Snapshot",
  "CreateSnapshot",
  "SnapshotResult",
  "Backup",
  "Iso",
  "MountIso",
  "RescueResult"
]

const BODIES = new Set(["CreateInstance", "Reinstall", "Resize", "CreateSnapshot", "MountIso"])

interface Json {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<Json>
  readonly items?: Json
  readonly description?: string
  readonly properties?: Readonly<Record<string, Json>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: unknown
}

const schemas = openApiDocument().components.schemas as unknown as Readonly<Record<string, Json>>
const WIDTH = 118

interface Annotated {
  readonly ast: { readonly annotations?: Readonly<Record<string, unknown>> }
}
interface Struct extends Annotated {
  readonly fields: Readonly<Record<string, Annotated>>
}
const isStruct = (value: unknown): value is Struct => typeof value === "function" && "fields" in value

/** The contract's records by name. The document of the API does not have the words of open sets. */
const structs = new Map(
  [Account, Backups, Instance, Isos, Monitoring, Rescue, Services, Snapshots].flatMap((module) =>
    Object.values<unknown>(module)
  )
    .filter(isStruct).map((struct) => [struct.ast.annotations?.["identifier"], struct])
)

const setWords = (record: string, field: string): ReadonlyArray<string> | undefined =>
  structs.get(record)?.fields[field]?.ast.annotations?.[SetWords] as ReadonlyArray<string> | undefined

const comment = (text: string | undefined, indent: string): string => {
  if (text === undefined) return ""
  const line = `${indent}/** ${text} */`
  if (line.length <= WIDTH) return `${line}\n`
  const words = text.split(" ")
  const lines = [""]
  for (const word of words) {
    const last = lines.at(-1)!
    if (`${indent} * ${last} ${word}`.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`
  }
  return `${indent}/**\n${lines.map((one) => `${indent} * ${one}\n`).join("")}${indent} */\n`
}

/** Writes interfaces; collects the records that they refer to. */
class Writer {
  readonly #written = new Map<string, string>()

  record(name: string, schema = schemas[name]): string {
    if (this.#written.has(name)) return name
    if (schema?.properties === undefined) throw new Error(`The contract has no record ${name}`)
    this.#written.set(name, "")
    const fields = Object.entries(schema.properties).map(([field, about]) => {
      const optional = schema.required?.includes(field) === true ? "" : "?"
      // The client omits an undefined field of a body.
      const undefinable = optional !== "" && BODIES.has(name) ? " | undefined" : ""
      return `${comment(about.description, "  ")}  readonly ${field}${optional}: ${
        this.#type(about, name, field)
      }${undefinable}\n`
    })
    // A record that other servers may extend.
    const open = schema.additionalProperties === false ? "" : "  readonly [field: string]: unknown\n"
    this.#written.set(
      name,
      `${comment(schema.description, "")}export interface ${name} {\n${fields.join("")}${open}}\n`
    )
    return name
  }

  #type(schema: Json, parent: string, field: string): string {
    if (schema.$ref !== undefined) return this.record(schema.$ref.replace("#/components/schemas/", ""))
    if (schema.anyOf !== undefined) return schema.anyOf.map((one) => this.#type(one, parent, field)).join(" | ")
    if (schema.enum !== undefined) return literals(schema.enum)
    const words = setWords(parent, field)
    if (words !== undefined) return `${literals(words)} | OtherWord`
    if (schema.items !== undefined) return `Array<${this.#type(schema.items, parent, field)}>`
    if (schema.properties !== undefined) return this.record(parent + field[0]!.toUpperCase() + field.slice(1), schema)
    if (schema.type === "integer") return "number"
    return schema.type ?? "unknown"
  }

  text(): string {
    return [...this.#written.values()].join("\n")
  }

  names(): ReadonlyArray<string> {
    return [...this.#written.keys()]
  }
}

interface Union {
  readonly name: string
  readonly doc: string
  readonly values: ReadonlyArray<string>
}

const UNIONS: ReadonlyArray<Union> = [
  {
    name: "InstanceStatusValue",
    doc: "The statuses that this version knows. Treat an unknown one as busy.",
    values: Instance.INSTANCE_STATUSES
  },
  { name: "MetricsRange", doc: "The periods of metrics.", values: Monitoring.METRICS_RANGES },
  { name: "Scope", doc: "The rights of an API key. Each includes those below it.", values: Scope.literals }
]

/** A type of its own: a union with `string` would be `string`, and editors would complete nothing. */
const OTHER_WORD = `/** A word that this version does not know. */\nexport type OtherWord = string & {}\n`

const union = ({ doc, name, values }: Union): string =>
  `/** ${doc} */\nexport type ${name} =\n${values.map((value) => `  | ${JSON.stringify(value)}`).join("\n")}\n`

/** The name of the type with exactly these values. */
const unionOf = (values: ReadonlyArray<unknown>): string | undefined =>
  UNIONS.find((one) => JSON.stringify(one.values) === JSON.stringify(values))?.name

const literals = (values: ReadonlyArray<unknown>): string =>
  unionOf(values) ?? values.map((value) => JSON.stringify(value)).join(" | ")

export const records = (): string => {
  const writer = new Writer()
  ROOTS.forEach((name) => writer.record(name))
  return format(
    [
      `/** The records of the API. ${GENERATED} */\n\n`,
      writer.text(),
      "\n",
      UNIONS.map(union).join("\n"),
      "\n",
      OTHER_WORD
    ].join("")
  )
}

/** The type of a field as `View.ts` reads it: "number", "Task?" if it may be null, "Task[]". */
const shapeOf = (schema: Json, record: string): string => {
  if (schema.$ref !== undefined) return schema.$ref.replace("#/components/schemas/", "")
  if (schema.anyOf !== undefined) {
    const [one = {}, ...others] = schema.anyOf.filter(({ type }) => type !== "null")
    if (others.length > 0) throw new Error(`A field of ${record} has several types`)
    return `${shapeOf(one, record)}?`
  }
  if (schema.items !== undefined) return `${shapeOf(schema.items, record)}[]`
  if (schema.type === "integer") return "number"
  // The type of an enum of texts.
  return schema.type ?? "string"
}

/** An object inside of a record has the name that `Writer` gives it. */
const shapesOf = (
  name: string,
  schema: Json | undefined
): Readonly<Record<string, Readonly<Record<string, string>>>> => {
  const inner: Record<string, Readonly<Record<string, string>>> = {}
  const fields = Object.entries(schema?.properties ?? {}).map(([field, about]) => {
    const object = [about, ...about.anyOf ?? []].find(({ properties }) => properties !== undefined)
    if (object === undefined) return [field, shapeOf(about, name)]
    const own = name + field[0]!.toUpperCase() + field.slice(1)
    Object.assign(inner, shapesOf(own, object))
    return [field, about.anyOf === undefined ? own : `${own}?`]
  })
  return { [name]: Object.fromEntries(fields), ...inner }
}

export const shapes = (): string => {
  const unshown = [...structs].flatMap(([name, { ast }]) =>
    typeof name === "string" && ast.annotations?.[Unshown] === true ? [name] : []
  ).toSorted()
  const all = Object.assign({}, ...unshown.map((name) => shapesOf(name, schemas[name]))) as Readonly<
    Record<string, Readonly<Record<string, string>>>
  >
  const names = Object.keys(all)
  return format([
    `/**\n * The records that the specification does not show, and the types of their fields.\n * ${GENERATED}\n */`,
    `import type { ${names.toSorted().join(", ")} } from "../Records.ts"`,
    "",
    `export interface UnshownRecords {\n${names.map((name) => `  readonly ${name}: ${name}`).join("\n")}\n}`,
    "",
    "export const SHAPES: { readonly [Name in keyof UnshownRecords]: Readonly<Record<string, string>> } = {",
    names.map((name) =>
      `  ${name}: {\n${Object.entries(all[name]!).map(([field, shape]) => `    ${field}: "${shape}"`).join(",\n")}\n  }`
    ).join(",\n"),
    "}"
  ].join("\n"))
}

const callText = ({ args, comment: doc, declared, generics, name, returns }: Call): string => {
  const result = declared ?? `ApiPromise<${returns.replace(/^(.*)\[\]$/, "Array<$1>")}>`
  return `${doc === "" ? "" : `  ${doc}\n`}  readonly ${name}: ${generics}(${args}) => ${result}`
}

const groupText = ({ calls, doc, type }: Group): string =>
  `/** ${doc} */\nexport interface ${type} {\n${calls.map(callText).join("\n\n")}\n}\n`

export const interfaces = (): string => {
  const text = groups().map(groupText).join("\n")
  const used = (names: ReadonlyArray<string>) =>
    names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).toSorted()
  const writer = new Writer()
  ROOTS.forEach((name) => writer.record(name))
  const records = used([...writer.names(), "MetricsRange"])
  const options = [...new Set(text.match(/\b[A-Z]\w+(Options|Query|Iteration|Progress)\b/g))]
    .filter((name) => !records.includes(name)).toSorted()
  return format([
    `/** The calls of the Promise client. ${GENERATED} */`,
    `import type { ${options.join(", ")} } from "../options/Options.ts"`,
    `import type { ${records.join(", ")} } from "../Records.ts"`,
    `import type { Balance, BulkResult } from "../Results.ts"`,
    `import type { ApiPromise } from "./ApiPromise.ts"`,
    "",
    text
  ].join("\n"))
}

if (import.meta.main) {
  writeFileSync(RECORDS, records())
  writeFileSync(SHAPES, shapes())
  writeFileSync(GROUPS, interfaces())
  writeFileSync(OPERATOR_COMMANDS, operatorCommands())
}
