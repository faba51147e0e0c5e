/** The version in every file that has it. */
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { FOLDERS, readManifest } from "../build/workspace.ts"

/** Files with the version, and the text around it. Generated files follow: see run.ts. */
const PLACES: ReadonlyArray<readonly [glob: string, before: string]> = [
  ["{,provider/,sdk/,sdk/contract/,sdk/testing/,service/}package.json", "\n  \"version\": \""],
  ["{provider,sdk,service}/package.json", "\"@pulumi-vps/contract\": \""],
  ["{provider,sdk/testing}/package.json", "\"@pulumi-vps/sdk\": \""],
  ["sdk/testing/package.json", "\"@pulumi-vps/service\": \""],
  ["sdk/package.json", "\"pulumi-vps\": \""],
  ["sdk/contract/Version.ts", "VERSION = \""],
  ["docs/provider-plugin.md", "pulumi-resource-vps-v"],
  ["docs/provider-plugin.md", "vps@"],
  ["docs/provider-plugin.md", "pulumi plugin install resource vps "],
  ["docs/provider-plugin.md", "{ version: "],
  ["docs/terraform.md", "cp terraform-provider-vps_"],
  ["docs/running.md", "VPS_SERVICE_DRIVER=simulated vps-service:"],
  ["docs/emulator.md", "VPS_EMULATOR=1 vps-service:"],
  ["docs/emulator.md", "registry.example/vps-service:"],
  ["docs/emulator.md", "GenericContainer<>(\"vps-service:"],
  ["service/packaging/compose/compose.yaml", "image: vps-service:"]
]

const VERSION = /^\d+\.\d+\.\d+(-[\w.]+)?$/

export const readVersion = (root: string): string =>
  (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string }).version

/** The packages of ours that an example depends on, which differ. */
const OF_AN_EXAMPLE = /("(?:@pulumi-vps\/\w+|pulumi-vps)": "\^)[^"]+/g

interface Locked {
  readonly [field: string]: unknown
  readonly version?: string
}

/** The packages of this repository in the lock file, with the versions of each other that they name. */
const setLocked = (root: string, version: string): void => {
  const path = join(root, "package-lock.json")
  const lock = JSON.parse(readFileSync(path, "utf8")) as Locked & { readonly packages: Record<string, Locked> }
  const names = new Set(FOLDERS.map((folder) => readManifest(folder, root).name))
  const renewed = (value: unknown): unknown =>
    typeof value !== "object" || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).map(([name, one]) => [name, names.has(name) ? version : one]))
  for (const folder of ["", ...FOLDERS]) {
    const fields = Object.entries(lock.packages[folder] ?? {}).map(([field, value]) => [
      field,
      field === "version" ? version : field.endsWith("ependencies") ? renewed(value) : value
    ])
    lock.packages[folder] = Object.fromEntries(fields)
  }
  writeFileSync(path, `${JSON.stringify({ ...lock, version }, null, 2)}\n`)
}

/** Writes the version everywhere. @throws Error if a file does not have the old one at its place. */
export const setVersion = (root: string, version: string): void => {
  if (!VERSION.test(version)) throw new Error(`${version} is not a version. Use one like 1.2.3.`)
  const old = readVersion(root)
  for (const [glob, before] of PLACES) {
    for (const path of globSync(glob, { cwd: root })) {
      const text = readFileSync(join(root, path), "utf8")
      if (!text.includes(before + old)) throw new Error(`${path} does not have the version ${old}`)
      writeFileSync(join(root, path), text.replaceAll(before + old, before + version))
    }
  }
  for (const path of globSync("examples/*/package.json", { cwd: root })) {
    const text = readFileSync(join(root, path), "utf8")
    writeFileSync(join(root, path), text.replaceAll(OF_AN_EXAMPLE, (_, before: string) => before + version))
  }
  setLocked(root, version)
}

/** The heading of the changes since the last release, as Keep a Changelog has it. */
const UNRELEASED = /^## \[[^\]]+\] - unreleased$/im

/** The changelog with the heading of a release, and the text of that release. `date` is YYYY-MM-DD. */
export const released = (changelog: string, version: string, date: string): readonly [all: string, own: string] => {
  if (!UNRELEASED.test(changelog)) {
    throw new Error("CHANGELOG.md has no heading like \"## [1.2.3] - unreleased\". Add the changes of this release.")
  }
  const all = changelog.replace(UNRELEASED, `## [${version}] - ${date}`)
  const own = all.split(/^## /m).find((section) => section.startsWith(`[${version}]`)) ?? ""
  return [all, own.split("\n").slice(1).join("\n").trim()]
}
