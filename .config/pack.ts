/** Packs the packages: the files that a package.json lists, and a manifest without what only the repository uses. */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Folder, readManifest, ROOT, SOURCE } from "./build/workspace.ts"
import { manifestFields, readRepository } from "./repository.ts"

/** Fields that only this repository needs: users have no workspaces, and npm warns them about scripts. */
const OF_THE_REPOSITORY = new Set(["scripts", "devDependencies"])

/** The documents of the repository, which come with the package that its tour begins with. */
const DOCUMENTS: Readonly<Partial<Record<Folder, ReadonlyArray<string>>>> = {
  provider: [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs",
    "examples",
    "service/packaging"
  ]
}

/** Programs of the repository that start examples from a clone. */
const OF_A_CLONE = ["examples/quickstart/run.ts", "examples/quickstart/runner"]

export interface Packed {
  readonly name: string
  readonly path: string
  /** Relative to the package's root. */
  readonly files: ReadonlyArray<string>
  /** In bytes, once installed. */
  readonly size: number
}

interface Report {
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
  readonly unpackedSize: number
}

/** Without the paths of sources, and without the names that lead to sources only. */
const withoutSources = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).flatMap(([key, one]) => {
    const own = key === SOURCE ? undefined : withoutSources(one)
    return own === undefined ? [] : [[key, own] as const]
  })
  return entries.length === 0 && Object.keys(value).length > 0 ? undefined : Object.fromEntries(entries)
}

/** The package.json in the tarball. */
const publishedManifest = (folder: Folder, files: ReadonlyArray<string>, root: string): string => {
  const manifest = Object.entries(readManifest(folder, root)).filter(([name]) => !OF_THE_REPOSITORY.has(name))
  const own = withoutSources(Object.fromEntries(manifest)) as object
  return `${JSON.stringify({ ...own, files, ...manifestFields(readRepository(root)) }, null, 2)}\n`
}

/** Writes the tarball of a built package into a folder. Two packs of one tree are equal. */
export const pack = (folder: Folder, destination: string, root = ROOT): Packed => {
  const staging = mkdtempSync(join(tmpdir(), "pulumi-vps-pack-"))
  try {
    const { files, name: packageName } = readManifest(folder, root)
    const documents = DOCUMENTS[folder] ?? []
    const place = (name: string, path: string): void => {
      if (!existsSync(path)) throw new Error(`${path} is missing. Run npm run build first.`)
      const filter = (one: string): boolean => !OF_A_CLONE.some((without) => one === join(root, without))
      cpSync(path, join(staging, name), { recursive: true, filter })
    }
    for (const name of files) place(name, join(root, folder, name))
    for (const name of documents) place(name, join(root, name))
    writeFileSync(join(staging, "package.json"), publishedManifest(folder, [...files, ...documents], root))
    const args = ["pack", "--json", "--pack-destination", destination]
    const { status, stderr, stdout } = spawnSync("npm", args, { cwd: staging, encoding: "utf8" })
    if (status !== 0) throw new Error(`npm ${args.join(" ")}: ${stderr}`)
    const [report] = JSON.parse(stdout) as [Report]
    return {
      name: packageName,
      path: join(destination, report.filename),
      size: report.unpackedSize,
      files: report.files.map(({ path }) => path)
    }
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}
