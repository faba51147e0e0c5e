/**
 * `npm run provider:reference`: generates the marked sections of `docs/provider-reference.md` from the definitions that
 * validate inputs, and the policies in `docs/provider.md` from the tested example.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { ENVIRONMENT, type SettingName } from "#provider/Config"
import type { Definition, Input, Output } from "#provider/definition/Definition"
import { type FunctionName, FUNCTIONS } from "#provider/functions/Functions"
import { table } from "./markdownTable.ts"
import { RESOURCES, sentences, SETTINGS } from "./providerTexts.ts"

/** The documents with generated sections. */
export const DOCUMENTS: ReadonlyArray<string> = ["provider.md", "provider-reference.md"].map((name) =>
  fileURLToPath(new URL(`../docs/${name}`, import.meta.url))
)

type Row = ReadonlyArray<string>

const inputRow = ([name, { change, default: value, required, type, unit }]: [string, Input]): Row => [
  `\`${name}\`${required === undefined ? "" : " (required)"}`,
  unit === undefined ? type.text : `${type.text}, in ${unit}`,
  value ?? "",
  change
]

const inputDetails = ([name, { description, effect, secret }]: [string, Input]): string =>
  `- \`${name}\`: ${sentences(description, secret === true ? "A secret" : undefined, effect && `On change: ${effect}`)}`

const outputRow = ([name, { description, schema, secret, unit }]: [string, Output]): Row => {
  const type = "type" in schema ? schema.type : "any"
  return [
    `\`${name}\``,
    unit === undefined ? type : `${type}, ${unit}`,
    `${description}${secret === true ? " A secret." : ""}`
  ]
}

const resource = ({ description, inputs, name, outputs }: Definition): string =>
  [
    `### ${name}`,
    description,
    table(["input", "type", "default", "on change"], Object.entries(inputs).map(inputRow)),
    Object.entries(inputs).map(inputDetails).join("\n"),
    table(["output", "type", "meaning"], Object.entries(outputs).map(outputRow))
  ].join("\n\n")

const functionDetails = (name: FunctionName): string => {
  const { description, inputs, result } = FUNCTIONS[name]
  const args = Object.entries(inputs).map(([input, { default: value, required, type }]) =>
    `\`${input}\`${required === undefined ? "?" : ""} (${type.text}${value === undefined ? "" : `; default: ${value}`})`
  )
  return [
    `- **\`${name}\`**: ${description}`,
    ...(args.length === 0 ? [] : [`Arguments: ${args.join(", ")}.`]),
    sentences(`Result: ${result}`)
  ].join("\\\n  ")
}

/** The tested example without its comment. */
const policies = (): string => {
  const text = readFileSync(fileURLToPath(new URL("../examples/policies/index.mts", import.meta.url)), "utf8")
  return `\`\`\`ts\n${text.replace(/^\/\*\*[^]*?\*\/\n/, "").trimEnd()}\n\`\`\``
}

const SECTIONS: Readonly<Record<string, () => string>> = {
  resources: () => RESOURCES.map(resource).join("\n\n"),
  functions: () => (Object.keys(FUNCTIONS) as Array<FunctionName>).map(functionDetails).join("\n"),
  settings: () =>
    table(
      ["configuration", "environment", "meaning"],
      (Object.keys(ENVIRONMENT) as Array<SettingName>)
        .map((name) => [`\`vps:${name}\``, `\`${ENVIRONMENT[name]}\``, SETTINGS[name]])
    ),
  policies
}

const MARKED = /<!-- begin (\w+) -->[^]*?<!-- end \1 -->/g

/** Replaces the content of every marked section. @throws Error for an unknown section. */
export const fill = (text: string): string =>
  text.replaceAll(MARKED, (_, name: string) => {
    const section = SECTIONS[name]
    if (section === undefined) throw new Error(`Unknown section: ${name}`)
    return `<!-- begin ${name} -->\n\n${section()}\n\n<!-- end ${name} -->`
  })

/** The names of the generated sections. */
export const sections = Object.keys(SECTIONS)

if (import.meta.main) {
  for (const path of DOCUMENTS) writeFileSync(path, fill(readFileSync(path, "utf8")))
}
