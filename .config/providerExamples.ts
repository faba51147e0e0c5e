/** The programs in docs/provider/examples: one for each resource and language. Tests run them. */
import { readFileSync } from "node:fs"

/** The heading of a language, its name in Pulumi's schema, its name in Markdown, and its file. */
export const LANGUAGES = [
  { title: "TypeScript", schema: "typescript", markdown: "ts", file: "index.ts" },
  { title: "Python", schema: "python", markdown: "python", file: "__main__.py" },
  { title: "Go", schema: "go", markdown: "go", file: "main.go" },
  { title: "YAML", schema: "yaml", markdown: "yaml", file: "Pulumi.yaml" }
] as const
export type Language = typeof LANGUAGES[number]

/** SnapshotRestore becomes snapshot-restore, the name of its folder and of its page. */
export const kebab = (name: string): string =>
  name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase()

/** The folder of a resource's examples, with a slash at its end. */
export const exampleFolder = (resource: string): URL =>
  new URL(`../docs/provider/examples/${kebab(resource)}/`, import.meta.url)

/** The keys of a YAML program that every project has, with the plugin's place. */
const PROJECT = /^(?:name|runtime|plugins):.*\n(?: .*\n)*/gm

/** The program as the documents show it. */
export const exampleOf = (resource: string, { file }: Language): string =>
  readFileSync(new URL(file, exampleFolder(resource)), "utf8").replaceAll(PROJECT, "").trimEnd()

/** The TypeScript example without its imports, line by line: for the comment of the class. */
export const classExample = (resource: string): ReadonlyArray<string> =>
  exampleOf(resource, LANGUAGES[0]).replaceAll(/^import .*\n+/gm, "").split("\n")

const block = ({ schema }: Language, code: string): string => `\`\`\`${schema}\n${code}\n\`\`\``

/** The examples and the import as Pulumi's registry and the generators of its SDKs read them in a description. */
export const schemaExamples = (resource: string, importCommand: string | undefined): string => {
  const blocks = LANGUAGES.map((language) => block(language, exampleOf(resource, language)))
  const parts = ["{{% examples %}}", "## Example Usage", "{{% example %}}", ...blocks, "{{% /example %}}"]
  const imported = importCommand === undefined ? [] : ["## Import", `\`\`\`sh\n${importCommand}\n\`\`\``]
  return [...parts, "{{% /examples %}}", ...imported].join("\n\n")
}
