/**
 * Writes the plugin's schema, `provider/plugin-host/schema.json`, from the definitions of the resources and the
 * contract's answers, which the functions return; and the classes (`providerClasses.ts`).
 * `test/provider/plugin-host/schema.test.ts` fails while a file is not what `npm run generate` would write.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { DELETION_POLICIES, WAIT_FOR } from "#provider/Config"
import { ENVIRONMENT, type SettingName } from "#provider/HostWords"
import { type Definition, type Input, isRequired, type SchemaType } from "#provider/definition/Definition"
import { type FunctionName, FUNCTIONS, listField } from "#provider/functions/Functions"
import { classFiles } from "./providerClasses.ts"
import { goModule, readRepository, schemaFields } from "./repository.ts"
import { importCommand, RESOURCES, schemaExamples, SETTINGS } from "./providerTexts.ts"
import { inputText, outputText, sentences } from "#provider/definition/Texts"
import { RECORDS_FILE, recordsText } from "./terraformRecords.ts"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"

// The result types of the functions, from the contract of their endpoints.

type Json = Readonly<Record<string, unknown>>
type Types = Record<string, Json>

/** The endpoint whose answer each function returns. Functions without one have their types written out. */
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

/** A function that returns one of several has the schema of one. */
const COMPONENTS: Partial<Readonly<Record<FunctionName, string>>> = { getPlan: "PublicPlan", getImage: "OsOption" }

const WALLET: Json = {
  type: "object",
  properties: {
    balance: { type: "number", description: "In units of `currency`." },
    currency: { type: "string", description: "The wallet's currency code." }
  },
  required: ["balance", "currency"]
}

const document = openApiDocument()

const camel = (name: string): string => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
const capital = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

const asRecord = (value: unknown): Json => (value ?? {}) as Json

/** Byte counts need more than the 32 bits that an integer has in some languages. */
const isWide = (name: string): boolean => /bytes/i.test(name)

/** The inner schema of a nullable one. In Pulumi's schema, nullable means not required. */
const nullable = (schema: Json): Json | undefined => {
  const choices = (schema["anyOf"] ?? []) as ReadonlyArray<Json>
  const [only, ...others] = choices.filter(({ type }) => type !== "null")
  return only === undefined || others.length > 0 || choices.length === 1 ? undefined : only
}

/** Converts a schema of the contract to Pulumi's. Adds the types it refers to. */
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

/** Adds a suffix to the component's name: a result and a resource of the same name would be one type in Go. */
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
  const component = COMPONENTS[name]
  if (component !== undefined) return asRecord(document.components.schemas[component])
  const path = ENDPOINTS[name]
  if (path === undefined) return WALLET
  const item = document.paths[`/api/v1${path}`]
  return asRecord(item?.get?.responses["200"]?.content?.["application/json"]?.schema)
}

// The schema.

export const SCHEMA = fileURLToPath(new URL("../provider/plugin-host/schema.json", import.meta.url))

const CHOICES: Partial<Readonly<Record<SettingName, ReadonlyArray<string>>>> = {
  deletionPolicy: DELETION_POLICIES,
  waitFor: WAIT_FOR
}

/** An enumeration becomes a type of its own, which languages with enumerations can offer. */
const wordsType = (types: Types, name: string, words: ReadonlyArray<string>): Json => {
  types[`vps:index:${name}`] = { type: "string", enum: words.map((value) => ({ value })) }
  return { $ref: `#/types/vps:index:${name}` }
}

const typeOf = (types: Types, owner: string, name: string, schema: SchemaType): Json => {
  if (!("type" in schema)) return schema
  if (schema.enum !== undefined) return wordsType(types, `${owner}${capital(name)}`, schema.enum)
  return schema.type === "integer" && isWide(name) ? { ...schema, type: "number" } : { ...schema }
}

const inputProperty = (types: Types, owner: string, name: string, input: Input): Json => ({
  ...typeOf(types, owner, name, input.type.schema),
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
  const requiredInputs = given.map(([one]) => one).filter((one) => isRequired(inputs, one))
  // An input that a program may set by name is an output of every resource.
  const shown = given.filter(([, { required }]) => required !== undefined).map(([one]) => one)
  const certain = Object.entries(outputs).filter(([, { optional }]) => optional !== true).map(([one]) => one)
  return {
    description: `${description}\n\n${schemaExamples(name, importCommand(name))}`,
    inputProperties,
    requiredInputs,
    properties: { ...inputProperties, ...Object.fromEntries(made) },
    required: [...shown, ...certain],
    // A stack of the dynamic provider can move to the plugin: nothing is bought or changed.
    aliases: [{ type: `pulumi-nodejs:dynamic/vps:${name}` }]
  }
}

const functionOf = (types: Types, name: FunctionName): Json => {
  const { description, inputs, result } = FUNCTIONS[name]
  const given = Object.entries(inputs)
  const list = listField(name)
  const schema = answerSchema(name)
  const outputs = list === undefined
    ? objectOf(types, capital(name), resolved(schema))
    : { type: "object", properties: { [list]: answer(types, capital(name), list, schema) }, required: [list] }
  return {
    description: sentences(description, `Returns ${result}`),
    inputs: {
      type: "object",
      properties: Object.fromEntries(given.map(([one, input]) => [one, {
        ...typeOf(types, capital(name), one, input.type.schema),
        description: sentences(
          input.description,
          `Takes: ${input.type.text}`,
          input.default === undefined ? undefined : `Default: ${input.default}`
        )
      }])),
      required: given.filter(([, { required }]) => required !== undefined).map(([one]) => one)
    },
    outputs
  }
}

/** Those whose value is not a string. */
const SETTING_TYPES: Partial<Readonly<Record<SettingName, Json>>> = {
  maxChargePerUpdate: { type: "number" },
  generations: { type: "object", additionalProperties: { type: "integer" } }
}

const setting = (types: Types, name: SettingName): Json => {
  const words = CHOICES[name]
  return {
    ...(words === undefined
      ? SETTING_TYPES[name] ?? { type: "string" }
      : wordsType(types, `Default${capital(name)}`, words)),
    description: `${SETTINGS[name]} The environment variable ${ENVIRONMENT[name]} wins; it is read by the provider and `
      + "never stored.",
    ...(name === "apiKey" ? { secret: true } : {})
  }
}

/**
 * A generated SDK reads its program's configuration from the environment, too. The provider's own inputs name no
 * variable: an SDK would store what it found there.
 */
const variable = (types: Types, name: SettingName): Json => ({
  ...setting(types, name),
  defaultInfo: { environment: [ENVIRONMENT[name]] }
})

/** The whole schema, as the file holds it. */
export const schemaText = (repository = readRepository()): string => {
  const types: Types = {}
  const names = Object.keys(ENVIRONMENT) as Array<SettingName>
  const settings = Object.fromEntries(names.map((name) => [name, setting(types, name)]))
  const functions = Object.keys(FUNCTIONS) as Array<FunctionName>
  const { description, version } = JSON.parse(
    readFileSync(new URL("../provider/package.json", import.meta.url), "utf8")
  ) as {
    description: string
    version: string
  }
  const schema = {
    name: "vps",
    displayName: "VPS",
    version,
    description,
    license: "Apache-2.0",
    // Without it the package of .NET says that Pulumi wrote it.
    publisher: "pulumi-vps",
    // Pulumi's registry groups packages by the category, and distinguishes providers from components by the kind.
    keywords: ["pulumi", "vps", "category/cloud", "kind/native"],
    ...schemaFields(repository),
    meta: { moduleFormat: "(.*)" },
    config: { variables: Object.fromEntries(names.map((name) => [name, variable(types, name)])) },
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
      go: { respectSchemaVersion: true, importBasePath: goModule(repository) },
      csharp: { respectSchemaVersion: true },
      java: {}
    }
  }
  return `${JSON.stringify(schema, undefined, 2)}\n`
}

if (import.meta.main) {
  writeFileSync(SCHEMA, schemaText())
  writeFileSync(new URL(`../${RECORDS_FILE}`, import.meta.url), recordsText())
  for (const [path, text] of Object.entries(classFiles())) writeFileSync(new URL(`../${path}`, import.meta.url), text)
}
