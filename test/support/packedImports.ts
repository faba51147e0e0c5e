/** The imports of the published files, resolved as npm leaves them: against the published manifests, not the clone. */
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, join, relative } from "node:path"
import ts from "typescript"

interface Manifest {
  readonly name?: string
  readonly imports?: Readonly<Record<string, unknown>>
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0]

/** The names that modules in AMD's form have for what its loader hands to them. */
const OF_AMD = new Set(["exports", "module", "require"])

/** The literal specifiers of a file: imports, exports, `import()`, `require()`, and types from `import("...")`. */
export const specifiersIn = (text: string): ReadonlyArray<string> =>
  ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName).filter((one) => !OF_AMD.has(one))

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile()

/** All targets of an entry of `exports` or `imports`, but for the condition of the repository's sources. */
const targetsOf = (entry: unknown): ReadonlyArray<string> => {
  if (typeof entry === "string") return [entry]
  if (entry === null || typeof entry !== "object") return []
  return Object.entries(entry).flatMap(([condition, one]) => condition === "pulumi-vps-source" ? [] : targetsOf(one))
}

/** Where a name beginning with # leads, by the manifest's patterns. */
const importedBy = ({ imports = {} }: Manifest, specifier: string): ReadonlyArray<string> =>
  Object.entries(imports).flatMap(([pattern, entry]) => {
    const [start = "", end = ""] = pattern.split("*")
    if (!pattern.includes("*")) return pattern === specifier ? targetsOf(entry) : []
    if (!specifier.startsWith(start) || !specifier.endsWith(end)) return []
    const middle = specifier.slice(start.length, specifier.length - end.length)
    return targetsOf(entry).map((target) => target.replaceAll("*", middle))
  })

export interface Problem {
  readonly file: string
  readonly specifier: string
  readonly problem: "is not declared" | "is not published"
}

/** The published files below a folder, which a tarball was unpacked to. */
export class PackedImports {
  readonly #root: string
  readonly #manifests = new Map<string, { readonly folder: string; readonly manifest: Manifest }>()

  constructor(root: string) {
    this.#root = root
  }

  /** Programs and declarations, relative to the folder. Examples and documents are users' own code. */
  files(): ReadonlyArray<string> {
    return globSync("{dist,plugin,terraform}/**/*.{js,mjs,cjs,d.ts}", { cwd: this.#root })
      // The panel's files are for browsers, which load them by their addresses.
      .filter((path) => !path.startsWith("dist/panel/files/")).toSorted()
  }

  /** The nearest manifest with a name or dependencies decides what a file may import. */
  #manifestOf(file: string): { readonly folder: string; readonly manifest: Manifest } {
    const folder = dirname(file)
    const known = this.#manifests.get(folder)
    if (known !== undefined) return known
    const path = join(this.#root, folder, "package.json")
    const manifest = isFile(path) ? JSON.parse(readFileSync(path, "utf8")) as Manifest : {}
    const own = folder === "." || manifest.name !== undefined ? { folder, manifest } : this.#manifestOf(folder)
    this.#manifests.set(folder, own)
    return own
  }

  /** A module beside its importer; a declaration is found by the name of its module. */
  #beside(file: string, specifier: string): string | undefined {
    const path = relative(this.#root, join(this.#root, dirname(file), specifier))
    const declared = path.replace(/\.(js|mjs|cjs)$/, "").concat(".d.ts")
    return (file.endsWith(".d.ts") ? [declared, path] : [path]).find((one) => isFile(join(this.#root, one)))
  }

  /** The published files and the packages that a file imports. */
  importsOf(file: string): {
    readonly files: ReadonlyArray<string>
    readonly packages: ReadonlyArray<string>
    readonly problems: ReadonlyArray<Problem>
  } {
    const files: Array<string> = []
    const packages: Array<string> = []
    const problems: Array<Problem> = []
    const { folder, manifest } = this.#manifestOf(file)
    const declared = { ...manifest.dependencies, ...manifest.peerDependencies }
    const published = (specifier: string, targets: ReadonlyArray<string>): void => {
      const found = targets.map((target) => join(folder, target)).filter((path) => isFile(join(this.#root, path)))
      files.push(...found)
      if (found.length === 0) problems.push({ file, specifier, problem: "is not published" })
    }
    for (const specifier of specifiersIn(readFileSync(join(this.#root, file), "utf8"))) {
      if (isBuiltin(specifier)) continue
      if (specifier.startsWith(".")) {
        const path = this.#beside(file, specifier)
        if (path === undefined) problems.push({ file, specifier, problem: "is not published" })
        else files.push(path)
      } else if (specifier.startsWith("#")) {
        published(specifier, importedBy(manifest, specifier))
      } else if (packageOf(specifier) === manifest.name) {
        published(specifier, targetsOf(manifest.exports?.[`.${specifier.slice(manifest.name.length)}`]))
      } else if (packageOf(specifier) in declared) {
        packages.push(packageOf(specifier))
      } else {
        problems.push({ file, specifier, problem: "is not declared" })
      }
    }
    return { files, packages, problems }
  }

  /** The packages that a file needs, with all that it imports. */
  packagesOf(entries: ReadonlyArray<string>): ReadonlyArray<string> {
    const seen = new Set<string>()
    const needed = new Set<string>()
    const visit = (file: string): void => {
      if (seen.has(file)) return
      seen.add(file)
      const { files, packages } = this.importsOf(file)
      packages.forEach((name) => needed.add(name))
      files.forEach(visit)
    }
    entries.map((path) => relative(".", path)).forEach(visit)
    return [...needed].toSorted()
  }

  problems(): ReadonlyArray<Problem> {
    return this.files().flatMap((file) => this.importsOf(file).problems)
  }

  /** The files of an entry of the manifest, under each condition: programs, or declarations. */
  targets(entry: unknown): ReadonlyArray<string> {
    return targetsOf(entry)
  }
}
