/** A folder as a user has it: what npm makes of the packages' tarballs, and of the peers beside them. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { FOLDERS, ROOT } from "../../.config/build/workspace.ts"
import { oncePerRun, tarballs } from "./packed.ts"

export { ROOT }

/** The optional peers of the packages. */
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

/** Installs these packages with npm, as a user does, and no others. Needs the registry, or npm's cache. */
export const install = (folder: string, ...packages: ReadonlyArray<string>): void => {
  writeFileSync(join(folder, "package.json"), `{ "private": true }\n`)
  run(folder, "npm", ...INSTALL, ...packages)
}

/** Files are links to the same content where the system has those: a test adds and removes files, and changes none. */
const COPY = process.platform === "linux" ? "-al" : "-a"

/**
 * A user's folder: npm has installed all packages of this tree in it, and their peers, or those that are named.
 * Needs `dist`; the caller removes the folder.
 */
export const makeConsumer = ({ peers = PEERS }: { readonly peers?: ReadonlyArray<Peer> } = {}): string => {
  // npm installs the peer of the contract, which is not optional, with it.
  const folders = FOLDERS.filter((one) => one !== "sdk/contract" || peers.includes("effect"))
  const installed = oncePerRun(`consumer of ${peers.map((peer) => peer.replace("/", "-")).join(" and ")}`, (folder) => {
    install(folder, ...tarballs(folders), ...peers.map(exact))
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
  return folder
}
