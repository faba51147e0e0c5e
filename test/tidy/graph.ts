/** The rules that need the whole tree: what is published, what nothing reaches, what lies at the top. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { folderOf, FOLDERS, moduleOf, readManifest, sourceOf } from "../../.config/build/workspace.ts"
import { isBarrel } from "./rules.ts"
import { imports, mentions, type Problem, problem, ROOT, type Source } from "./Source.ts"

/** Bundled into the files that the service sends to browsers. */
const BROWSER_ENTRY = "service/panel/web/main.tsx"

/** The providers that engines start. */
const PROVIDERS = ["provider/plugin-host/main.ts", "provider/terraform-host/main.ts"]

/** The source files behind `exports` and `bin`, and the programs that engines start. */
export const publishedEntries = (): Array<string> => [
  ...PROVIDERS,
  ...FOLDERS.flatMap((folder) => {
    const { bin = {}, exports } = readManifest(folder)
    const entries = Object.values(exports).flatMap((target) => sourceOf(target) ?? [])
    const commands = Object.values(bin).filter((path) => path.startsWith("./dist/")).map((path) =>
      path.replace("/dist/", "/").replace(/\.js$/, ".ts")
    )
    return [...entries, ...commands].filter((path) => !path.includes("*")).map((path) => join(folder, path))
  })
]

/** Where a specifier leads, when it leads to a file of ours. */
export const resolve = (from: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) return normalize(join(dirname(from), specifier))
  const module = moduleOf(from, specifier)
  return module === undefined ? undefined : `${module}.ts`
}

/**
 * Imports without a source file. `tsc` resolves `#provider/X` in `dist` then, where an earlier build may have left it.
 */
export const unresolved = (tree: ReadonlyArray<Source>): Array<Problem> => {
  const paths = new Set(tree.map(({ path }) => path))
  return tree.flatMap((source) =>
    imports(source).flatMap(({ node, specifier }) => {
      const path = resolve(source.path, specifier)
      if (path === undefined || paths.has(path) || existsSync(join(ROOT, path))) return []
      return [problem(source, node, `${specifier} has no source file`)]
    })
  )
}

/** The package that a specifier names, also by a path in `node_modules`; undefined for modules of Node.js. */
const packageNamed = (specifier: string): string | undefined =>
  specifier.startsWith("node:") ? undefined : /^(?:.*\bnode_modules\/)?((?:@[^/]+\/)?[^/]+)/.exec(specifier)?.[1]

/**
 * Imports that the package of a file does not declare: one installation of this repository has everything, and users
 * have what the manifest says.
 */
export const undeclared = (tree: ReadonlyArray<Source>): Array<Problem> =>
  tree.flatMap((source) => {
    const own = folderOf(source.path)
    if (own === undefined) return []
    const { dependencies, devDependencies, peerDependencies } = readManifest(own)
    const declared = { ...dependencies, ...devDependencies, ...peerDependencies }
    return imports(source).flatMap(({ node, specifier }) => {
      if (/^[.#]/.test(specifier) && !specifier.includes("node_modules/")) {
        const other = folderOf(resolve(source.path, specifier) ?? "")
        if (other === undefined || other === own) return []
        const { name } = readManifest(other)
        return [problem(source, node, `${specifier} is a path into another package: import ${name} by its name`)]
      }
      const name = packageNamed(specifier)
      if (name === undefined || name in declared) return []
      return [problem(source, node, `${own}/package.json does not declare ${name}: add it there`)]
    })
  })

const reach = (tree: ReadonlyArray<Source>, roots: ReadonlyArray<string>): Set<string> => {
  const byPath = new Map(tree.map((source) => [source.path, source]))
  const reached = new Set<string>()
  const queue = [...roots]
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const source = byPath.get(path)
    if (source === undefined || reached.has(path)) continue
    reached.add(path)
    for (const { specifier } of imports(source)) queue.push(resolve(path, specifier) ?? "")
    queue.push(...mentions(source))
  }
  return reached
}

/** Programs of the tests that start by themselves: benchmarks, simulator, kills, what consumers run, what records. */
const PROGRAMS = new RegExp(
  "^test/(programs/(bench/(command|(sdk/)?run|libvirt|placement|postgres|sampling|size|terraform|testing|panel)"
    + "|(kills|upgrade|simulator)/run)|e2e/consumer/.*|engine/probe/rerecord|anyHost/main|tidy/run)\\.ts$"
)

/** True for the entry points: tests, examples, build tools, and those programs. */
const starts = (path: string): boolean => /\.test\.ts$|^examples\/|^\.config\//.test(path) || PROGRAMS.test(path)

/**
 * Files that nothing reaches. Published files and programs are roots; product code that only a test imports is an
 * orphan, too.
 */
export const orphans = (tree: ReadonlyArray<Source>): Array<Problem> => {
  const published = publishedEntries()
  const product = reach(tree, [...published, BROWSER_ENTRY])
  const all = reach(tree, [...published, BROWSER_ENTRY, ...tree.map(({ path }) => path).filter(starts)])
  const isProduct = (path: string) => /^(sdk|service|provider)\//.test(path)
  return tree.filter(({ path }) => !(isProduct(path) ? product : all).has(path)).map(({ path }) => ({
    path,
    line: 1,
    message: "an orphan: no published entry leads here. Delete it, or import it where it is needed"
  }))
}

export const barrels = (tree: ReadonlyArray<Source>): Array<Problem> => {
  // The two clients publish the same records, options and errors.
  const published = new Set([...publishedEntries(), "sdk/common.ts"])
  return tree.filter((source) => isBarrel(source) && !published.has(source.path)).map(({ path }) => ({
    path,
    line: 1,
    message: "a barrel: import from the file that says it; only published entries gather"
  }))
}

/** The folders side by side that two files are in; undefined if one of the files lies above the other's folder. */
const sideBySide = (from: string, to: string): readonly [from: string, to: string] | undefined => {
  const [a, b] = [from.split("/"), to.split("/")]
  const depth = a.findIndex((name, index) => name !== b[index])
  // The packages know each other's entries; the import directions hold them.
  if (depth < 1 || depth >= a.length - 1 || depth >= b.length - 1) return undefined
  return [a.slice(0, depth + 1).join("/"), b.slice(0, depth + 1).join("/")]
}

const reaches = (graph: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string, seen = new Set<string>()) =>
  [...graph.get(from) ?? []].some((next): boolean => {
    if (next === to) return true
    if (seen.has(next)) return false
    seen.add(next)
    return reaches(graph, next, to, seen)
  })

/** Imports between folders side by side that lead back to where they began: such folders can only be read together. */
export const circles = (tree: ReadonlyArray<Source>): Array<Problem> => {
  const edges = tree.flatMap((source) =>
    imports(source).flatMap(({ node, specifier }) => {
      const pair = sideBySide(source.path, resolve(source.path, specifier) ?? "")
      return pair === undefined ? [] : [{ source, node, from: pair[0], to: pair[1] }]
    })
  )
  const graph = new Map<string, Set<string>>()
  for (const { from, to } of edges) graph.set(from, (graph.get(from) ?? new Set()).add(to))
  return edges.filter(({ from, to }) => reaches(graph, to, from)).map(({ from, node, source, to }) =>
    problem(source, node, `a circle of imports between ${from} and ${to}: move what they share to a folder of its own`)
  )
}

/** The files and folders of the top level besides dot files. */
const TOP_LEVEL = new Set([
  "Pulumi.yaml",
  ..."sdk service provider examples test docs package.json tsconfig.json".split(" "),
  ..."package-lock.json README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md LICENSE SECURITY.md".split(" ")
])

/** True for names at the top that git passes over. */
export const ignored = (name: string): boolean =>
  readFileSync(join(ROOT, ".gitignore"), "utf8").split("\n").filter((line) => line !== "").some((line) => {
    const pattern = line.replace(/^\/|\/$/g, "").replaceAll(".", "\\.").replaceAll("*", ".*")
    return new RegExp(`^${pattern}$`).test(name)
  })

export const strangers = (names: ReadonlyArray<string>): Array<Problem> =>
  names.filter((name) => !name.startsWith(".") && !TOP_LEVEL.has(name) && !ignored(name)).map((name) => ({
    path: name,
    line: 1,
    message: "does not belong at the top level: move it into the folder that uses it"
  }))

export const topLevel = (): Array<string> => readdirSync(ROOT)
