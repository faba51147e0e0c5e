/** The rules that need the whole tree: what is published, what nothing reaches, what lies at the top. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { isBarrel } from "./rules.ts"
import { imports, mentions, type Problem, problem, ROOT, type Source } from "./Source.ts"

const SOURCE_CONDITION = "pulumi-vps-source"

export interface Manifest {
  readonly imports: Record<string, Record<string, string>>
  readonly exports: Record<string, string | Record<string, string>>
  readonly bin: Record<string, string>
  readonly scripts: Record<string, string>
}

export const manifest = (): Manifest => JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))

/** Bundled into the files that the service sends to browsers. */
const BROWSER_ENTRY = "service/panel/web/main.tsx"

/** The provider of OpenTofu and Terraform, which the engine starts. */
const TERRAFORM_ENTRY = "provider/terraform/main.ts"

/** The source files behind `exports` and `bin`, and the programs that engines start. */
export const publishedEntries = ({ bin, exports }: Manifest): Array<string> =>
  [
    TERRAFORM_ENTRY,
    ...Object.values(exports).flatMap((entry) => typeof entry === "string" ? [] : [entry[SOURCE_CONDITION] ?? ""]),
    // The plugin's executable loads what is bundled from its own entry.
    ...Object.values(bin).map((path) =>
      path.startsWith("./plugin/") ? "provider/plugin/main.ts" : path.replace("/dist/", "/").replace(/\.js$/, ".ts")
    )
  ].map((path) => normalize(path)).filter((path) => path.endsWith(".ts"))

/** Where a specifier leads, when it leads to a file of ours. */
export const resolve = (from: string, specifier: string, { imports: map }: Manifest): string | undefined => {
  if (specifier.startsWith(".")) return normalize(join(dirname(from), specifier))
  for (const [pattern, targets] of Object.entries(map)) {
    const prefix = pattern.replace("*", "")
    const target = targets[SOURCE_CONDITION]
    if (target === undefined || !specifier.startsWith(prefix)) continue
    return normalize(target.replace("*", specifier.slice(prefix.length)))
  }
  return undefined
}

/**
 * Imports without a source file. `tsc` resolves `#provider/X` in `dist` then, where an earlier build may have left it.
 */
export const unresolved = (tree: ReadonlyArray<Source>, map: Manifest): Array<Problem> => {
  const paths = new Set(tree.map(({ path }) => path))
  return tree.flatMap((source) =>
    imports(source).flatMap(({ node, specifier }) => {
      const path = resolve(source.path, specifier, map)
      if (path === undefined || paths.has(path) || existsSync(join(ROOT, path))) return []
      return [problem(source, node, `${specifier} has no source file`)]
    })
  )
}

const reach = (tree: ReadonlyArray<Source>, roots: ReadonlyArray<string>, map: Manifest): Set<string> => {
  const byPath = new Map(tree.map((source) => [source.path, source]))
  const reached = new Set<string>()
  const queue = [...roots]
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const source = byPath.get(path)
    if (source === undefined || reached.has(path)) continue
    reached.add(path)
    for (const { specifier } of imports(source)) queue.push(resolve(path, specifier, map) ?? "")
    queue.push(...mentions(source))
  }
  return reached
}

/** Programs of the tests that start by themselves: benchmarks, simulator, kills, what consumers run, what records. */
const PROGRAMS = new RegExp(
  "^test/(programs/(bench/((sdk/)?run|libvirt|placement|postgres|sampling|size|terraform|testing|panel)"
    + "|(kills|upgrade|simulator)/run)|e2e/consumer/.*|engine/probe/rerecord|tidy/run)\\.ts$"
)

/** True for the entry points: tests, examples, build tools, and those programs. */
const starts = (path: string): boolean => /\.test\.ts$|^examples\/|^\.config\//.test(path) || PROGRAMS.test(path)

/**
 * Files that nothing reaches. Published files and programs are roots; product code that only a test imports is an
 * orphan, too.
 */
export const orphans = (tree: ReadonlyArray<Source>, map: Manifest): Array<Problem> => {
  const published = publishedEntries(map)
  const product = reach(tree, [...published, BROWSER_ENTRY], map)
  const all = reach(tree, [...published, BROWSER_ENTRY, ...tree.map(({ path }) => path).filter(starts)], map)
  const isProduct = (path: string) => /^(sdk|service|provider)\//.test(path)
  return tree.filter(({ path }) => !(isProduct(path) ? product : all).has(path)).map(({ path }) => ({
    path,
    line: 1,
    message: "an orphan: no published entry leads here. Delete it, or import it where it is needed"
  }))
}

export const barrels = (tree: ReadonlyArray<Source>, map: Manifest): Array<Problem> => {
  // The two clients publish the same records, options and errors.
  const published = new Set([...publishedEntries(map), "sdk/common.ts"])
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
export const circles = (tree: ReadonlyArray<Source>, map: Manifest): Array<Problem> => {
  const edges = tree.flatMap((source) =>
    imports(source).flatMap(({ node, specifier }) => {
      const pair = sideBySide(source.path, resolve(source.path, specifier, map) ?? "")
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
