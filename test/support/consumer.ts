/** A folder as a user of the published package has it: in `node_modules` what the tarball holds, and dependencies. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const ROOT = fileURLToPath(new URL("../..", import.meta.url))

export interface Manifest {
  readonly name: string
  readonly scripts: Record<string, string>
  readonly exports: Record<string, string | { readonly types: string; readonly default: string }>
  readonly bin: Record<string, string>
  readonly dependencies: Record<string, string>
  readonly peerDependencies: Record<string, string>
}

export const readManifest = (): Manifest => JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))

/** Paths of what `npm publish` would upload, relative to the root. Needs `dist`. */
export const packedFiles = (): Array<string> => {
  const packed = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: ROOT, encoding: "utf8" })
  if (packed.status !== 0) throw new Error(packed.stderr)
  const [tarball] = JSON.parse(packed.stdout) as [{ readonly files: Array<{ readonly path: string }> }]
  return tarball.files.map(({ path }) => path)
}

/** Lays the folder out; the caller removes it. */
export const makeConsumer = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-consumer-"))
  const manifest = readManifest()
  for (const path of packedFiles()) cpSync(join(ROOT, path), join(folder, "node_modules", manifest.name, path))
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    const link = join(folder, "node_modules", name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(ROOT, "node_modules", name), link)
  }
  return folder
}
