/**
 * Writes the plugin's schema, `provider/plugin/schema.json`, from the definitions that the provider judges inputs by and
 * the contract whose answers the functions pass on. `test/provider/plugin/Schema.test.ts` fails while the file is not
 * what this would write.
 *
 *   npm run provider:schema
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { openApiDocument } from "#contract/Document"
import { DELETION_POLICIES, ENVIRONMENT, type SettingName, WAIT_FOR } from "#provider/Config"
import type { Definition, Input, Output, SchemaType } from "#provider/Definition"
import { answerName } from "#provider/functions/Answers"
import { type FunctionName, FUNCTIONS } from "#provider/functions/Functions"
import { RESOURCES, SETTINGS } from "./providerReadme.ts"

export const SCHEMA = fileURLToPath(new URL("../provider/plugin/schema.json", import.meta.url))

type Json = Readonly<Record<string, unknown>>
type Types = Record<string, Json>

/** The endpoint that each function passes on; those without one are written out. */
const ENDPOINTS: Partial<Readonly<Record<FunctionName, string>>> = {
  getPlans: "/services",
  getOsOptions: "/services/{service_id}/os-options",
  getInstance: "/instances/{instance_id}",
  getInstances: "/instances",
  getStatus: "/instances/{instance_id}/status",
  getMetrics: "/instances/{instance_id}/metrics",
  getTasks: "/instances/{instance_id}/tasks",
  getAvailablePlans: "/instances/{instance_id}/available-plans",
  getSnapshots: "/instances/{instance_id}/snapshots",
  getBackups: "/instances/{instance_id}/backups",
  getIsos: "/instances/{instance_id}/isos",
  getWhoami: "/whoami"
}

const WALLET: Json = {
  type: "object",
  properties: {
    balance: { type: "number", description: "In units of `currency`." },
    currency: { type: "string", description: "The wallet's currency code." }
  },
  required: ["balance", "currency"]
}

const CHOICES: Partial<Readonly<Record<SettingName, ReadonlyArray<string>>>> = {
  deletionPolicy: DELETION_POLICIES,
  waitFor: WAIT_FOR
}

const document = openApiDocument()

const camel = (name: string): string => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
const capital = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

const asRecord = (value: unknown): Json => (value ?? {}) as Json

/** What counts bytes needs more than the 32 bits that some languages give an integer. */
const isWide = (name: string): boolean => /bytes/i.test(name)

/** Words become a type of their own: languages with enumerations then offer them. */
const wordsType = (types: Types, name: string, words: ReadonlyArray<string>): Json => {
  types[`vps:index:${name}`] = { type: "string", enum: words.map((value) => ({ value })) }
  return { $ref: `#/types/vps:index:${name}` }
}

const typeOf = (types: Types, owner: string, name: string, schema: SchemaType): Json => {
  if (!("type" in schema)) return schema
  if (schema.enum !== undefined) return wordsType(types, `${owner}${capital(name)}`, schema.enum)
  return schema.type === "integer" && isWide(name) ? { ...schema, type: "number" } : { ...schema }
}

const sentences = (...parts: ReadonlyArray<string | undefined>): string =>
  parts.filter((part) => part !== undefined && part !== "").map((part) => /[.!?]$/.test(part!) ? part : `${part}.`)
    .join(" ")

const inputText = ({ change, default: otherwise, description, effect, form, unit }: Input): string =>
  sentences(
    description,
    `Takes: ${form.text}${unit === undefined ? "" : `, in ${unit}`}`,
    otherwise === undefined ? undefined : `Default: ${otherwise}`,
    `What a change does: ${effect === undefined ? change : `${change}. ${effect}`}`
  )

const outputText = ({ description, unit }: Output): string =>
  sentences(description, unit === undefined ? undefined : `In ${unit}`)

const inputProperty = (types: Types, owner: string, name: string, input: Input): Json => ({
  ...typeOf(types, owner, name, input.form.schema),
  description: inputText(input),
  ...(input.secret === true ? { secret: true } : {}),
  ...(input.change === "replaced" ? { willReplaceOnChanges: true } : {})
})

const resource = (types: Types, { description, inputs, name, outputs }: Definition): Json => {
  const given = Object.entries(inputs)
  const inputProperties = Object.fromEntries(given.map(([one, input]) => [one, inputProperty(types, name, one, input)]))
  const made = Object.entries(outputs).map(([one, output]): [string, Json] => [one, {
    ...typeOf(types, name, one, output.schema),
    description: outputText(output),
    ...(output.secret === true ? { secret: true } : {})
  }])
  const requiredInputs = given.filter(([, { required }]) => required !== undefined).map(([one]) => one)
  const certain = Object.entries(outputs).filter(([, { optional }]) => optional !== true).map(([one]) => one)
  return {
    description,
    inputProperties,
    requiredInputs,
    properties: { ...inputProperties, ...Object.fromEntries(made) },
    required: [...requiredInputs, ...certain],
    // A stack of the dynamic provider moves over by itself: nothing is bought or changed.
    aliases: [{ type: `pulumi-nodejs:dynamic/vps:${name}` }]
  }
}

/** A nullable schema is one that is not required. */
const nullable = (schema: Json): Json | undefined => {
  const choices = (schema["anyOf"] ?? []) as ReadonlyArray<Json>
  const [only, ...others] = choices.filter(({ type }) => type !== "null")
  return only === undefined || others.length > 0 || choices.length === 1 ? undefined : only
}

/** A schema of the contract as one of Pulumi's; what it names is added to the types. */
const answer = (types: Types, owner: string, name: string, schema: Json): Json => {
  const inner = nullable(schema)
  if (inner !== undefined) return answer(types, owner, name, { ...inner, ...describe(schema) })
  const ref = schema["$ref"]
  if (typeof ref === "string") return named(types, ref.split("/").at(-1) ?? "")
  if (schema["type"] === "array") {
    return { type: "array", items: answer(types, owner, name, asRecord(schema["items"])), ...describe(schema) }
  }
  if (schema["type"] !== "object") {
    const type = schema["type"] === "integer" && isWide(name) ? "number" : schema["type"]
    return { type, ...describe(schema) }
  }
  const own = `${owner}${capital(name)}`
  types[`vps:index:${own}`] ??= objectOf(types, own, schema)
  return { $ref: `#/types/vps:index:${own}` }
}

const describe = ({ description }: Json): Json => description === undefined ? {} : { description }

/** Not the component's own name: an answer and a resource of one name would be one type in Go. */
const named = (types: Types, component: string): Json => {
  const token = `vps:index:${component}Info`
  if (types[token] === undefined) {
    types[token] = {}
    types[token] = objectOf(types, component, asRecord(document.components.schemas[component]))
  }
  return { $ref: `#/types/${token}` }
}

const objectOf = (types: Types, owner: string, schema: Json): Json => {
  const properties = Object.entries(asRecord(schema["properties"])) as ReadonlyArray<[string, Json]>
  const required = (schema["required"] ?? []) as ReadonlyArray<string>
  return {
    type: "object",
    properties: Object.fromEntries(
      properties.map(([name, one]) => [camel(name), answer(types, owner, camel(name), one)])
    ),
    required: properties.filter(([name, one]) => required.includes(name) && nullable(one) === undefined)
      .map(([name]) => camel(name))
  }
}

const resolved = (schema: Json): Json => {
  const ref = schema["$ref"]
  return typeof ref === "string" ? asRecord(document.components.schemas[ref.split("/").at(-1) ?? ""]) : schema
}

const answerSchema = (name: FunctionName): Json => {
  const path = ENDPOINTS[name]
  if (path === undefined) return WALLET
  const item = document.paths[`/api/v1${path}`]
  return asRecord(item?.get?.responses["200"]?.content?.["application/json"]?.schema)
}

const functionOf = (types: Types, name: FunctionName): Json => {
  const { description, inputs, result } = FUNCTIONS[name]
  const given = Object.entries(inputs)
  const list = answerName(name)
  const schema = answerSchema(name)
  const outputs = list === undefined
    ? objectOf(types, capital(name), resolved(schema))
    : { type: "object", properties: { [list]: answer(types, capital(name), list, schema) }, required: [list] }
  return {
    description: sentences(description, `Answers ${result}`),
    inputs: {
      type: "object",
      properties: Object.fromEntries(given.map(([one, input]) => [one, {
        ...typeOf(types, capital(name), one, input.form.schema),
        description: sentences(
          input.description,
          `Takes: ${input.form.text}`,
          input.default === undefined ? undefined : `Default: ${input.default}`
        )
      }])),
      required: given.filter(([, { required }]) => required !== undefined).map(([one]) => one)
    },
    outputs
  }
}

const setting = (types: Types, name: SettingName): Json => {
  const words = CHOICES[name]
  return {
    ...(words === undefined ? { type: name === "maxChargePerUpdate" ? "number" : "string" } : wordsType(
      types,
      `Default${capital(name)}`,
      words
    )),
    description: `${SETTINGS[name]} The environment variable ${ENVIRONMENT[name]} wins; it is read by the provider and `
      + "never stored.",
    ...(name === "apiKey" ? { secret: true } : {})
  }
}

/** The whole schema, as the file holds it. */
export const schemaText = (): string => {
  const types: Types = {}
  const names = Object.keys(ENVIRONMENT) as Array<SettingName>
  const settings = Object.fromEntries(names.map((name) => [name, setting(types, name)]))
  const functions = Object.keys(FUNCTIONS) as Array<FunctionName>
  const { description, version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    description: string
    version: string
  }
  const schema = {
    name: "vps",
    displayName: "VPS",
    version,
    description,
    license: "Apache-2.0",
    keywords: ["pulumi", "vps", "category/cloud"],
    meta: { moduleFormat: "(.*)" },
    config: { variables: settings },
    provider: {
      description: "The account: its API key, and the defaults of its resources.",
      inputProperties: settings
    },
    resources: Object.fromEntries(RESOURCES.map((one) => [`vps:index:${one.name}`, resource(types, one)])),
    functions: Object.fromEntries(functions.map((name) => [`vps:index:${name}`, functionOf(types, name)])),
    types,
    language: {
      nodejs: { respectSchemaVersion: true },
      python: { respectSchemaVersion: true, pyproject: { enabled: true } },
      go: { respectSchemaVersion: true, importBasePath: "example.com/pulumi-vps/sdk/go/vps" },
      csharp: { respectSchemaVersion: true },
      java: {}
    }
  }
  return `${JSON.stringify(schema, undefined, 2)}\n`
}

if (import.meta.main) writeFileSync(SCHEMA, schemaText())
