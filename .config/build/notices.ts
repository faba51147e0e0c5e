/**
 * The packages whose code is in our bundles: their licenses as THIRD_PARTY_NOTICES.txt, and a bill of materials in
 * CycloneDX as sbom.cdx.json. The build fails for a package without a license text, and for an unlisted license.
 */
import type { Metafile } from "esbuild"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Licenses that allow bundling if their text is included. */
const ALLOWED = new Set(["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "MPL-2.0"])

/** Licenses that also require to say where the source of the unchanged files is. */
const SOURCES = new Set(["MPL-2.0"])

export interface Component {
  readonly name: string
  readonly version: string
  /** Its SPDX expression. */
  readonly license: string
  readonly text: string
}

const SCALAR = "node_modules/effect/dist/http-api/internal/httpApiScalar.js"

/** Effect contains a build of another project, without that project's license. */
const scalar = (root: string): Component => {
  const version = /@scalar\/api-reference@([\d.]+)/.exec(readFileSync(join(root, SCALAR), "utf8"))?.[1]
  if (version === undefined) throw new Error(`${SCALAR} no longer names the version of @scalar/api-reference`)
  const mit = readFileSync(join(root, "node_modules/effect/LICENSE"), "utf8")
  const text = mit.replace(/^Copyright .*$/m, "Copyright (c) 2023-present Scalar")
  return { name: "@scalar/api-reference", version, license: "MIT", text }
}

/** A few packages only have it at the end of their README. */
const licenseText = (folder: string): string => {
  const [file] = globSync("{LICENSE,LICENCE,License,license}{,.md,.txt}", { cwd: folder })
  if (file !== undefined) return readFileSync(join(folder, file), "utf8").trim()
  const [, section] = /^#+ *license\s+(.*Copyright.*)$/ims.exec(readFileSync(join(folder, "README.md"), "utf8")) ?? []
  if (section === undefined) throw new Error(`${folder} has no license text to include`)
  return section.trim()
}

const read = (root: string, folder: string): Component => {
  const { license, name, version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Component
  const refused = license.replaceAll(/[()]/g, "").split(" AND ").some((one) => !ALLOWED.has(one))
  if (refused) throw new Error(`${name} has the license "${license}": check that it may be bundled`)
  return { name, version, license, text: licenseText(join(root, folder)) }
}

/** The folder of a package, not that of the build. */
const FOLDER = /^.*node_modules\/(?!\.cache)(?:@[^/]+\/)?[^/]+/

/** The components of bundles, by name. */
export const componentsOf = (root: string, bundles: ReadonlyArray<Metafile>): ReadonlyArray<Component> => {
  const inputs = new Set(bundles.flatMap(({ inputs }) => Object.keys(inputs)))
  const folders = new Set([...inputs].flatMap((path) => FOLDER.exec(path)?.[0] ?? []))
  const found = [...folders].map((folder) => read(root, folder))
  return [...found, ...(inputs.has(SCALAR) ? [scalar(root)] : [])].toSorted((a, b) => a.name < b.name ? -1 : 1)
}

const heading = (name: string): string => `${name} contains code of these packages, under the licenses below.\n`

const source = ({ license, name, version }: Component): ReadonlyArray<string> =>
  SOURCES.has(license)
    ? [`Source code: https://registry.npmjs.org/${name}/-/${name.replace(/.*\//, "")}-${version}.tgz`]
    : []

const notice = (component: Component): string => {
  const { license, name, text, version } = component
  return ["", "=".repeat(78), `${name} ${version} (${license})`, ...source(component), "", text, ""].join("\n")
}

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace("@", "%40")}@${version}`

const described = ({ license, name, version }: Component) => {
  const purl = purlOf(name, version)
  return { "bom-ref": purl, type: "library", name, version, purl, licenses: [{ expression: license }] }
}

/** Without a time or a random number, so that two builds of one source are equal. */
const sbom = (name: string, version: string, components: ReadonlyArray<Component>): object => ({
  $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
  bomFormat: "CycloneDX",
  specVersion: "1.5",
  version: 1,
  metadata: {
    component: { type: "library", name, version, purl: purlOf(name, version) }
  },
  components: components.map(described)
})

/** Writes both files into a folder of the package of this name. */
export const writeNotices = (
  folder: string,
  name: string,
  version: string,
  components: ReadonlyArray<Component>
): void => {
  writeFileSync(join(folder, "THIRD_PARTY_NOTICES.txt"), heading(name) + components.map(notice).join(""))
  writeFileSync(join(folder, "sbom.cdx.json"), `${JSON.stringify(sbom(name, version, components), null, 2)}\n`)
}
