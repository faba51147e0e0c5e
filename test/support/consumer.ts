/** A folder as a user of the published package has it: what npm makes of the tarball, and of the peers beside it. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { oncePerRun, packed } from "./packed.ts"

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

/** The optional peers of the package. */
export type Peer = "effect" | "@pulumi/pulumi"
const PEERS: ReadonlyArray<Peer> = ["effect", "@pulumi/pulumi"]

/** The tools of a consumer besides the package and its dependencies: those that check its tests and types. */
const TOOLS = ["vitest", "@types/node", "undici-types"]

const run = (cwd: string, file: string, ...args: ReadonlyArray<string>): void => {
  const { status, stderr } = spawnSync(file, args, { cwd, encoding: "utf8" })
  if (status !== 0) throw new Error(`${file} ${args.join(" ")}: ${stderr}`)
}

/** A package in the version that this repository has. */
export const exact = (name: string): string => {
  const text = readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8")
  return `${name}@${(JSON.parse(text) as { readonly version: string }).version}`
}

const INSTALL = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--prefer-offline"]

/** Installs the tarball with npm, as a user does, beside exactly these packages. Needs the registry, or npm's cache. */
export const install = (folder: string, ...packages: ReadonlyArray<string>): void => {
  writeFileSync(join(folder, "package.json"), `{ "private": true }\n`)
  run(folder, "npm", ...INSTALL, packed().path, ...packages)
}

/** Files are links to the same content where the system has those: a test adds and removes files, and changes none. */
const COPY = process.platform === "linux" ? "-al" : "-a"

/**
 * A user's folder: npm has installed the package's tarball in it, and its optional peers, or those that are named.
 * Needs `dist`; the caller removes the folder.
 */
export const makeConsumer = ({ peers = PEERS }: { readonly peers?: ReadonlyArray<Peer> } = {}): Consumer => {
  const { files, size } = packed()
  const installed = oncePerRun(`consumer of ${peers.map((peer) => peer.replace("/", "-")).join(" and ")}`, (folder) => {
    install(folder, ...peers.map(exact))
    return folder
  })
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-consumer-"))
  run(ROOT, "cp", COPY, `${installed}/.`, folder)
  // A test writes its own, which must not be that of the others.
  rmSync(join(folder, "package.json"))
  for (const name of TOOLS) {
    const link = join(folder, "node_modules", name)
    // Pulumi's SDK brings types of Node.js.
    rmSync(link, { recursive: true, force: true })
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(ROOT, "node_modules", name), link)
  }
  return { folder, files, size }
}
