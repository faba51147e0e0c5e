/**
 * Fills `provider/README.md`: its tables from the definitions that the provider itself judges inputs by, its example of
 * policies from the one that is tried. Run as a program it writes the file; `test/docs/providerReadme.test.ts` fails
 * while the file is not what this would write.
 *
 *   npm run readme
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { ENVIRONMENT, type SettingName } from "#provider/Config"
import type { Definition, Input, Output, SchemaType } from "#provider/definition/Definition"
import { type FunctionName, FUNCTIONS } from "#provider/functions/Functions"
import { RESOURCES, SETTINGS } from "./providerTexts.ts"

export const README = fileURLToPath(new URL("../provider/README.md", import.meta.url))

type Row = ReadonlyArray<string>

/** A bar would end the cell. */
const cell = (text: string): string => text.replaceAll("|", "\\|")

/** As the formatter writes it: columns padded to their widest cell. */
const table = (head: Row, rows: ReadonlyArray<Row>): string => {
  const lines = [head, ...rows].map((row) => row.map(cell))
  const widths = head.map((_, column) => Math.max(...lines.map((row) => row[column]?.length ?? 0)))
  const line = (row: Row) => `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`
  const [title = [], ...body] = lines
  return [line(title), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n")
}

/** Leaves out empty columns. */
const lean = (head: Row, rows: ReadonlyArray<Row>): string => {
  const columns = head.map((_, column) => column).filter((column) => rows.some((row) => (row[column] ?? "") !== ""))
  const pick = (row: Row): Row => columns.map((column) => row[column] ?? "")
  return table(pick(head), rows.map(pick))
}

const inputRow = ([name, input]: [string, Input]): Row => [
  `\`${name}\`${input.required === undefined ? "" : " (required)"}`,
  `${input.description}${input.secret === true ? " A secret." : ""}`,
  input.type.text,
  input.unit ?? "",
  input.default ?? "",
  input.effect === undefined ? input.change : `**${input.change}**: ${input.effect}`
]

const typeOf = (schema: SchemaType): string => "type" in schema ? schema.type : "any"

const outputRow = ([name, output]: [string, Output]): Row => [
  `\`${name}\``,
  `${output.description}${output.secret === true ? " A secret." : ""}`,
  typeOf(output.schema),
  output.unit ?? ""
]

const resource = ({ description, inputs, name, outputs }: Definition): string =>
  [
    `### ${name}`,
    description,
    lean(
      ["input", "description", "type", "unit", "default", "on change"],
      Object.entries(inputs).map(inputRow)
    ),
    "Every input is also an output. Additional outputs:",
    lean(["output", "description", "type", "unit"], Object.entries(outputs).map(outputRow))
  ].join("\n\n")

const functionRow = (name: FunctionName): Row => {
  const { description, inputs, result } = FUNCTIONS[name]
  const args = Object.entries(inputs).map(([input, { default: otherwise, type, required }]) =>
    `\`${input}\`${required === undefined ? "?" : ""} (${type.text}${otherwise === undefined ? "" : `; ${otherwise}`})`
  )
  return [`\`${name}\``, description, args.join(", "), result]
}

/** The tested example, without its top comment. */
const policies = (): string => {
  const text = readFileSync(fileURLToPath(new URL("../examples/policies/index.mts", import.meta.url)), "utf8")
  return `\`\`\`ts\n${text.replace(/^\/\*\*[^]*?\*\/\n/, "").trimEnd()}\n\`\`\``
}

const SECTIONS: Readonly<Record<string, () => string>> = {
  resources: () => RESOURCES.map(resource).join("\n\n"),
  functions: () =>
    table(
      ["function", "description", "arguments", "result"],
      (Object.keys(FUNCTIONS) as Array<FunctionName>).map(functionRow)
    ),
  settings: () =>
    table(
      ["configuration", "environment", "description"],
      (Object.keys(ENVIRONMENT) as Array<SettingName>)
        .map((name) => [`\`vps:${name}\``, `\`${ENVIRONMENT[name]}\``, SETTINGS[name]])
    ),
  policies
}

const MARKED = /<!-- begin (\w+) -->[^]*?<!-- end \1 -->/g

/** Fills every marked section of a text. @throws Error for a mark without a section. */
export const fill = (text: string): string =>
  text.replaceAll(MARKED, (_, name: string) => {
    const section = SECTIONS[name]
    if (section === undefined) throw new Error(`there is no section ${name}`)
    return `<!-- begin ${name} -->\n\n${section()}\n\n<!-- end ${name} -->`
  })

/** The sections that a README must have. */
export const sections = Object.keys(SECTIONS)

if (import.meta.main) writeFileSync(README, fill(readFileSync(README, "utf8")))
