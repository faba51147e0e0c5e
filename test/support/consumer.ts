/** A folder as a user of the published package has it: in `node_modules` what the tarball holds, and dependencies. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { packed } from "./packed.ts"

export const ROOT = fileURLToPath(new URL("../..", import.meta.url))

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly scripts: Record<string, string>
  readonly exports: Record<string, string | { readonly types: string; readonly default: string }>
  readonly bin: Record<string, string>
  readonly peerDependencies: Record<string, string>
}

export const readManifest = (): Manifest => JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))

export interface Consumer {
  readonly folder: string
  /** Paths of what `npm publish` would upload, relative to the package's root. */
  readonly files: ReadonlyArray<string>
  /** In bytes, once installed. */
  readonly size: number
}

/** The tools of a consumer besides the package and its dependencies: those that check its tests and types. */
const TOOLS = ["vitest", "@types/node", "undici-types"]

const run = (file: string, args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(file, args, { cwd: ROOT, encoding: "utf8" })
  if (status !== 0) throw new Error(`${file} ${args.join(" ")}: ${stderr}`)
  return stdout
}

/**
 * Unpacks the package's tarball as an install does, with its optional peers or without them. Needs `dist`; the caller
 * removes the folder.
 */
export const makeConsumer = ({ peers = true } = {}): Consumer => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-consumer-"))
  const manifest = readManifest()
  const { files, path, size } = packed()
  const home = join(folder, "node_modules", manifest.name)
  mkdirSync(home, { recursive: true })
  run("tar", ["-xzf", path, "--strip-components=1", "-C", home])
  for (const name of [...(peers ? Object.keys(manifest.peerDependencies) : []), ...TOOLS]) {
    const link = join(folder, "node_modules", name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(ROOT, "node_modules", name), link)
  }
  return { folder, files, size }
}
