/** The version in every file that has it. */
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Files with the version, and the text around it. Generated files follow: see run.ts. */
const PLACES: ReadonlyArray<readonly [glob: string, before: string]> = [
  ["package.json", "\n  \"version\": \""],
  ["package-lock.json", "\"name\": \"pulumi-vps\",\n  \"version\": \""],
  ["package-lock.json", "\"name\": \"pulumi-vps\",\n      \"version\": \""],
  ["sdk/contract/Version.ts", "VERSION = \""],
  ["examples/*/package.json", "\"pulumi-vps\": \"^"],
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
