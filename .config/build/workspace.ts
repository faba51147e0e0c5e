/** The packages of this repository: their manifests, and the source files behind their import names. */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder of the repository, with a slash at its end. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url))

/** The folders of the packages. A package comes after those that it contains code of. */
export const FOLDERS = ["sdk/contract", "sdk", "provider", "service", "sdk/testing"] as const
export type Folder = typeof FOLDERS[number]

/** The condition of `exports` and `imports` that leads to the sources. */
export const SOURCE = "pulumi-vps-source"

type Target = string | { readonly [condition: string]: Target }

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly files: ReadonlyArray<string>
  readonly exports: Readonly<Record<string, Target>>
  readonly imports?: Readonly<Record<string, Target>>
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Of a package, or of the repository: `.`. */
export const readManifest = (folder: Folder | ".", root = ROOT): Manifest =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))

/** The package that a file belongs to: of a package inside another one's folder, the inner one. */
export const folderOf = (path: string): Folder | undefined =>
  FOLDERS.filter((folder) => path.startsWith(`${folder}/`)).toSorted((a, b) => b.length - a.length)[0]

interface Name {
  readonly pattern: RegExp
  /** A path of the repository, with `*` for what the pattern's `*` stands for. */
  readonly target: string
}

/** The path of the source behind an entry of `exports` or `imports`. */
export const sourceOf = (target: Target): string | undefined => {
  const source = typeof target === "string" ? undefined : target[SOURCE]
  return typeof source === "string" ? source : undefined
}

const namesOf = (folder: Folder | "."): ReadonlyArray<Name> => {
  const { exports = {}, imports = {}, name }: Partial<Manifest> = readManifest(folder)
  const named = [
    ...Object.entries(exports).map(([path, target]) => [name + path.slice(1), target] as const),
    ...Object.entries(imports)
  ]
  return named.flatMap(([key, target]) => {
    const source = sourceOf(target)
    if (source === undefined) return []
    const pattern = new RegExp(`^${key.replaceAll(/[.\\]/g, "\\$&").replace("*", "(.+)")}$`)
    return [{ pattern, target: join(folder, source) }]
  })
}

/** Of the packages, and of the repository, whose tests have names for all of them. Exact names come before patterns. */
const NAMES: ReadonlyArray<Name> = [...FOLDERS, "." as const].flatMap(namesOf)
  .toSorted((a, b) => Number(a.target.includes("*")) - Number(b.target.includes("*")))

/** The path, without an extension, of the module of ours that an import in a file leads to. */
export const moduleOf = (from: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) return join(dirname(from), specifier).replace(/(\.d)?\.[jt]sx?$/, "")
  for (const { pattern, target } of NAMES) {
    const found = pattern.exec(specifier)
    if (found !== null) return target.replace("*", found[1] ?? "").replace(/\.tsx?$/, "")
  }
  return undefined
}

/** The path below a package's `dist` of a module of its own, or of another one's that it contains. */
export const placeIn = (folder: Folder, module: string): string =>
  module.startsWith(`${folder}/`) ? module.slice(folder.length + 1) : module
