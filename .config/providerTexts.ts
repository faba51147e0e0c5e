/**
 * The texts and the examples that the provider's reference, schema and classes share. All three are generated from
 * the definitions. Tests run the programs in docs/provider/examples, one for each resource and language.
 */
import type { SettingName } from "#provider/HostWords"
import type { Definition } from "#provider/definition/Definition"
import { INSTANCE } from "#provider/instance/Definition"
import { BACKUP_RESTORE, SNAPSHOT_RESTORE } from "#provider/restore/Definition"
import { REVERSE_DNS } from "#provider/reverse-dns/Definition"
import { SNAPSHOT } from "#provider/snapshot/Definition"
import { readFileSync } from "node:fs"

// The programs in docs/provider/examples.

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

// The texts.

export const RESOURCES: ReadonlyArray<Definition> = [INSTANCE, SNAPSHOT, REVERSE_DNS, SNAPSHOT_RESTORE, BACKUP_RESTORE]

/** The settings' descriptions, which no definition has. */
export const SETTINGS: Readonly<Record<SettingName, string>> = {
  apiKey: "The API key. As configuration it must be a secret: `pulumi config set --secret vps:apiKey`.",
  baseUrl: "Address of the API with its prefix, such as `https://api.example.com/api/v1`.",
  deletionPolicy:
    "Configuration: the default of all Instances. Environment: overrides every Instance, also at destroy time.",
  maxChargePerUpdate:
    "Maximum charge of one update's purchases and resizes, in the wallet's currency; per explicit provider.",
  idempotencyScope: "Any text, part of every purchase key: for stacks that share project, stack and resource names.",
  generations: "For fleets: the `generation` of Instances whose program sets none, by name, such as `{\"web-3\": 2}`.",
  waitFor: "The default of the Instances' `waitFor`.",
  requestTimeout: "Timeout of one request, such as \"30s\"."
}

/** Examples for the classes and functions. */
export const EXAMPLES: Readonly<Record<string, ReadonlyArray<string>>> = {
  ...Object.fromEntries(RESOURCES.map(({ name }) => [name, classExample(name)])),
  VpsServer: [
    "const web = new VpsServer(\"web\", {",
    "  serviceId: 1, hostname: \"web.example.com\", firstSnapshot: \"as-installed\"",
    "})",
    "export const address = web.ipv4"
  ],
  getWallet: ["const { balance, currency } = await getWallet()"]
}

/** A name and an ID of each resource that can be imported. */
export const IMPORTED: Readonly<Record<string, string>> = {
  Instance: "web 123",
  Snapshot: "before-upgrade 123/5",
  ReverseDns: "web 123/203.0.113.7/web.example.com"
}

/** Undefined: it cannot be imported. */
export const importCommand = (resource: string): string | undefined =>
  IMPORTED[resource] === undefined ? undefined : `pulumi import vps:index:${resource} ${IMPORTED[resource]}`

/** The form of the IDs of the resources that can be imported. */
export const IMPORT_IDS: Readonly<Record<string, string>> = {
  Instance: "the number of an instance",
  Snapshot: "`<instance>/<snapshot>`",
  ReverseDns: "`<instance>/<address>/<host name>`"
}

export const COMPONENT =
  "An instance with the PTR record of its address and a first snapshot, as one component. Its parts are "
  + "ordinary resources with its name: `instance`, `reverseDns`, `snapshot`."
