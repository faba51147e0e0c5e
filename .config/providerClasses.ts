/**
 * Generates TypeScript from the provider's definitions: the classes of the resources and the functions, with their
 * documentation, for the dynamic provider and for the plugin. `npm run generate` runs it;
 * `test/provider/plugin-host/schema.test.ts` fails while a file is outdated.
 */
import { type Definition, isRequired, type SchemaType, type ValueType } from "#provider/definition/Definition"
import { type FunctionName, FUNCTIONS } from "#provider/functions/Functions"
import { COMPONENT, EXAMPLES, IMPORT_IDS, RESOURCES } from "./providerTexts.ts"
import { inputText, outputText, sentences } from "#provider/definition/Texts"

const WIDTH = 120
const HEAD = "/** Generated from the definitions by `npm run generate`. Do not edit. */"
/** For the classes: policy packs find them by a static field. */
const CLASSES_HEAD = HEAD.replace("Do not edit. */", "Policy packs find a class by `__pulumiType`. */")

const capital = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`
/** SnapshotRestore becomes SNAPSHOT_RESTORE. */
const constant = (name: string): string => name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

const wrapped = (text: string, prefix: string): ReadonlyArray<string> => {
  const lines = [prefix]
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!
    if (line.length + word.length < WIDTH || line === prefix) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(`${prefix} ${word}`)
  }
  return lines
}

const doc = (text: string, indent = "", example: ReadonlyArray<string> = []): string => {
  const short = `${indent}/** ${text} */`
  if (short.length <= WIDTH && example.length === 0) return short
  const tail = example.length === 0 ? [] : ["", "@example", ...example]
  const lines = [...wrapped(text, `${indent} *`), ...tail.map((line) => `${indent} * ${line}`.trimEnd())]
  return [`${indent}/**`, ...lines, `${indent} */`].join("\n")
}

const typeOf = (schema: SchemaType): string => {
  if (!("type" in schema)) return "unknown"
  if (schema.enum !== undefined) return schema.enum.map((word) => JSON.stringify(word)).join(" | ")
  return schema.type === "integer" ? "number" : schema.type
}
const argumentType = ({ schema, typescript }: ValueType): string => typescript?.input ?? typeOf(schema)
const outputType = ({ schema, typescript }: ValueType): string => typescript?.output ?? typeOf(schema)

const block = (head: string, members: ReadonlyArray<string>): string => [`${head} {`, ...members, "}"].join("\n")

const argsOf = ({ inputs, name }: Definition): string =>
  [
    doc(`The arguments of {@link ${name}Resource}. An input without a default is not managed when it is left out.`),
    block(
      `export interface ${name}Args`,
      Object.entries(inputs).map(([input, definition]) =>
        [
          doc(sentences(inputText(definition), definition.secret === true ? "Stored as a secret" : undefined), "  "),
          `  readonly ${input}${isRequired(inputs, input) ? "" : "?"}: pulumi.Input<${argumentType(definition.type)}>`
        ].join("\n")
      )
    )
  ].join("\n")

const outputsOf = ({ inputs, name, outputs }: Definition): string =>
  [
    doc(`The outputs of ${name}, the same in both hosts.`),
    block(`export abstract class ${name}Resource extends VpsResource`, [
      ...Object.entries(inputs).map(([input, { required, type }]) =>
        `  declare readonly ${input}: pulumi.Output<${outputType(type)}${required === undefined ? " | undefined" : ""}>`
      ),
      ...Object.entries(outputs).map(([output, definition]) =>
        [
          doc(outputText(definition), "  "),
          `  declare readonly ${output}: pulumi.Output<${typeOf(definition.schema)}${
            definition.optional === true ? " | undefined" : ""
          }>`
        ].join("\n")
      )
    ])
  ].join("\n")

const typesFile = (definitions: ReadonlyArray<Definition>): string =>
  [
    `${HEAD}\nimport type * as pulumi from "@pulumi/pulumi"\nimport { VpsResource } from "./VpsResource.ts"`,
    ...definitions.flatMap((definition) => [argsOf(definition), outputsOf(definition)])
  ].join("\n\n")

/** One of the two hosts that register the resources with the engine. */
type Host = "dynamic" | "plugin"

const importsOf = (from: string, names: ReadonlyArray<string>): string => {
  const line = `import { ${names.join(", ")} } from "${from}"`
  return line.length <= WIDTH ? line : `import {\n  ${names.join(",\n  ")}\n} from "${from}"`
}

const attached = RESOURCES.filter(({ name }) => name !== "Instance")

const attachedNames = attached.map(({ name }) => name).toSorted()
  .flatMap((name) => [`type ${name}Args`, `${name}Resource`])

const classOf = (host: Host, { description, name }: Definition): string => {
  const optional = host === "plugin" ? " | undefined" : ""
  const id = host === "plugin" ? IMPORT_IDS[name] : undefined
  const get = id === undefined ? [] : [
    "",
    doc(`Reads an existing one; \`id\` is ${id}.`, "  "),
    `  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): ${name} {`,
    `    return new ${name}(name, undefined, { ...opts, id })`,
    "  }"
  ]
  const token = constant(name)
  return [
    doc(description, "", EXAMPLES[name]),
    block(`export class ${name} extends ${name}Resource`, [
      `  static readonly __pulumiType = typeOf(${token})`,
      ...get,
      "",
      `  constructor(name: string, args: ${name}Args${optional}, opts?: pulumi.CustomResourceOptions) {`,
      `    super(...register(${token}, name, args, opts))`,
      "  }"
    ])
  ].join("\n")
}

const classesFile = (host: Host): string =>
  [
    [
      CLASSES_HEAD,
      "import type * as pulumi from \"@pulumi/pulumi\"",
      importsOf("../classes/Attached.ts", attachedNames),
      "import { type InstanceArgs, InstanceResource } from \"../classes/Instance.ts\"",
      "import { type VpsServerArgs, VpsServerComponent } from \"../classes/VpsServer.ts\"",
      "import { INSTANCE } from \"../instance/Definition.ts\"",
      "import { BACKUP_RESTORE, SNAPSHOT_RESTORE } from \"../restore/Definition.ts\"",
      "import { REVERSE_DNS } from \"../reverse-dns/Definition.ts\"",
      "import { SNAPSHOT } from \"../snapshot/Definition.ts\"",
      "import { register, typeOf } from \"./Register.ts\""
    ].join("\n"),
    ...RESOURCES.map((definition) => classOf(host, definition)),
    [
      doc(COMPONENT, "", EXAMPLES["VpsServer"]),
      block("export class VpsServer extends VpsServerComponent", [
        "  constructor(name: string, args: VpsServerArgs, opts?: pulumi.ComponentResourceOptions) {",
        "    super({ Instance, ReverseDns, Snapshot }, name, args, opts)",
        "  }"
      ])
    ].join("\n")
  ].join("\n\n")

const NAMES = Object.keys(FUNCTIONS) as Array<FunctionName>
const withArgs = NAMES.filter((name) => Object.keys(FUNCTIONS[name].inputs).length > 0)
const argsName = (name: FunctionName): string => `${capital(name)}Args`

const OUTPUT_ARGS = "export type OutputArgs<Args> = "
  + "{ readonly [Name in keyof Args]: pulumi.Input<Exclude<Args[Name], undefined>> }"

const functionArgsFile = (): string =>
  [
    `${HEAD}\nimport type * as pulumi from "@pulumi/pulumi"`,
    `${doc("The same arguments, each of which may be an output.")}\n${OUTPUT_ARGS}`,
    ...withArgs.map((name) =>
      block(
        `export interface ${argsName(name)}`,
        Object.entries(FUNCTIONS[name].inputs).map(([input, { default: otherwise, description, required, type }]) =>
          [
            doc(
              sentences(
                description,
                `Takes: ${type.text}`,
                otherwise === undefined ? undefined : `Default: ${otherwise}`
              ),
              "  "
            ),
            `  readonly ${input}${required === undefined ? "?" : ""}: ${argumentType(type)}`
          ].join("\n")
        )
      )
    )
  ].join("\n\n")

/** Breaks a declaration after its arrow where the line would be too long, as the formatter does. */
const arrow = (head: string, body: string): string =>
  `${head} => ${body}`.length <= WIDTH ? `${head} => ${body}` : `${head} =>\n  ${body}`

const functionOf = (host: Host, name: FunctionName): string => {
  const { description, inputs, result } = FUNCTIONS[name]
  const isOptional = Object.values(inputs).every(({ required }) => required === undefined)
  const hasArgs = withArgs.includes(name)
  const signature = (args: string, opts: string): string =>
    [
      ...(hasArgs ? [`args: ${args}${isOptional ? " = {}" : ""}`] : []),
      ...(host === "plugin" ? [`opts?: ${opts}`] : [])
    ]
      .join(", ")
  const call = (verb: string): string =>
    `${verb}(${[`"${name}"`, hasArgs ? "args" : "{}", ...(host === "plugin" ? ["opts"] : [])].join(", ")})`
  const output = `OutputArgs<${argsName(name)}>`
  return [
    doc(sentences(description, `Returns ${result}`), "", EXAMPLES[name]),
    arrow(`export const ${name} = (${signature(argsName(name), "pulumi.InvokeOptions")})`, call("invoke")),
    arrow(`export const ${name}Output = (${signature(output, "pulumi.InvokeOutputOptions")})`, call("invokeOutput"))
  ].join("\n")
}

const functionsFile = (host: Host): string =>
  [
    [
      HEAD,
      ...(host === "plugin" ? ["import type * as pulumi from \"@pulumi/pulumi\""] : []),
      `import type {\n  ${
        [...withArgs.map(argsName).toSorted(), "OutputArgs"].join(",\n  ")
      }\n} from "../classes/FunctionArgs.ts"`,
      "import { invoke, invokeOutput } from \"./Register.ts\""
    ].join("\n"),
    ...NAMES.map((name) => functionOf(host, name))
  ].join("\n\n")

/** Every file by its path in the repository. */
export const classFiles = (): Readonly<Record<string, string>> => {
  const files = {
    "provider/classes/Instance.ts": typesFile(RESOURCES.filter(({ name }) => name === "Instance")),
    "provider/classes/Attached.ts": typesFile(attached),
    "provider/classes/FunctionArgs.ts": functionArgsFile(),
    "provider/dynamic/Resources.ts": classesFile("dynamic"),
    "provider/dynamic/Functions.ts": functionsFile("dynamic"),
    "provider/pulumi/Resources.ts": classesFile("plugin"),
    "provider/pulumi/Functions.ts": functionsFile("plugin")
  }
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, `${text}\n`]))
}
