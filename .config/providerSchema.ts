/**
 * Writes the plugin's schema, `provider/plugin/schema.json`, from the definitions of the resources and the contract's
 * answers, which the functions return; and the classes (`providerClasses.ts`). `test/provider/plugin/schema.test.ts`
 * fails while a file is not what this would write.
 *
 *   npm run provider:schema
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { DELETION_POLICIES, ENVIRONMENT, type SettingName, WAIT_FOR } from "#provider/Config"
import { type Definition, type Input, isRequired, type SchemaType } from "#provider/definition/Definition"
import { type FunctionName, FUNCTIONS, listField } from "#provider/functions/Functions"
import { answer, answerSchema, capital, isWide, type Json, objectOf, resolved, type Types } from "./answerSchema.ts"
import { classFiles } from "./providerClasses.ts"
import { goModule, readRepository, schemaFields } from "./repository.ts"
import { schemaExamples } from "./providerExamples.ts"
import { importCommand, inputText, outputText, RESOURCES, sentences, SETTINGS } from "./providerTexts.ts"

export const SCHEMA = fileURLToPath(new URL("../provider/plugin/schema.json", import.meta.url))

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
  for (const [path, text] of Object.entries(classFiles())) writeFileSync(new URL(`../${path}`, import.meta.url), text)
}
