/**
 * The checks at the entries of the package: the version of Node.js, and the optional peer that an entry needs.
 */
import { build } from "esbuild"
import { writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { type Folder, readManifest, ROOT } from "./workspace.ts"

/** SDK, `vps`, provider and plugin: the first version that can `require` an ES module without a warning. */
export const CLIENTS = "22.12"

/** Service, emulator and testing kit: the first version whose SQLite is stable. */
export const SERVICE = "24.0"

/** Only uses syntax that old Node versions support. */
const isOld = (version: string): string => {
  const [major, minor] = version.split(".")
  return `process.versions.node.split(".").reduce((n,p,i)=>i<2?n*1e3+Number(p):n,0)<${major}*1e3+${minor}`
}

const shown = (version: string): string => version.replace(/\.0$/, "")

/** The beginning of a bundle that programs import. */
export const throwOnOldNode = (name: string, version: string): string =>
  `if(${isOld(version)})throw new Error(${JSON.stringify(`${name} needs Node.js ${shown(version)} or newer; this is `)}`
  + `+process.version+".");`

/** The beginning of an executable. `stream`: where the one who starts it reads why it ended. */
export const exitOnOldNode = (name: string, version: string, stream: "stderr" | "stdout" = "stderr"): string =>
  `if (${isOld(version)}) {
  process.${stream}.write(
    "${name} needs Node.js ${shown(version)} or newer; this is " + process.version + " (" + process.execPath + ").\\n"
  )
  process.exit(1)
}
`

// An entry that needs an optional peer, as Node.js loads it: a missing or unsuitable peer is one sentence that says
// what to install. A static import fails before any code could say that, so these load the entry by `require`.
// Bundlers follow the condition `module`, which leads to the entry itself.

/** The condition of `exports` with the path of the file that this writes. */
const CONDITION = "node"

interface Entry {
  readonly default: string
  readonly [CONDITION]?: string
}

interface Peer {
  readonly name: string
  /** The version that the entries work with from, and all later ones of its major version. */
  readonly major: number
  readonly minor: number
}

/**
 * The oldest version of Pulumi's SDK with which the tests buy an instance on the real engine. The manifest demands it,
 * because a program always loads the SDK.
 */
export const PULUMI_SDK: Peer = { name: "@pulumi/pulumi", major: 3, minor: 100 }

/**
 * The manifest accepts every version of effect: it may be there for a program's own use, and the other entries do not
 * load it.
 */
const EFFECT: Peer = { name: "effect", major: 4, minor: 1 }

/** The peer of an entry. */
const peerOf = (specifier: string): Peer => specifier.startsWith("pulumi-vps/") ? PULUMI_SDK : EFFECT

const rangeOf = ({ major, minor }: Peer): string => `^${major}.${minor}.0`

/** The statements that require a version of the peer that the entry works with. */
const requirePeer = (specifier: string): string => {
  const peer = peerOf(specifier)
  const { major, minor, name } = peer
  const missing = `${specifier} needs the package ${name}.`
  const unsuitable = `${specifier} needs ${name} ${major}.${minor} or a later ${major}.x; this project has `
  const install = ` Install it: npm install ${name}@${rangeOf(peer)}`
  return `const require = createRequire(import.meta.url)
let version
try {
  version = require("${name}/package.json").version
} catch (cause) {
  throw new Error(${JSON.stringify(missing + install)}, { cause })
}
const [major, minor] = version.split(".").map(Number)
if (major !== ${major} || minor < ${minor}) {
  throw new Error(${JSON.stringify(unsuitable)} + version + ${JSON.stringify(`.${install}`)})
}
`
}

const namesIn = async (folder: Folder, file: string): Promise<ReadonlyArray<string>> => {
  const { metafile } = await build({
    absWorkingDir: join(ROOT, folder),
    entryPoints: [file],
    bundle: true,
    packages: "external",
    external: ["#*"],
    format: "esm",
    metafile: true,
    write: false,
    outdir: "unused"
  })
  return Object.values(metafile.outputs).flatMap(({ exports }) => exports)
}

/** Writes the file of each entry that has the condition, beside the entry. */
export const writePeerEntries = async (folder: Folder): Promise<void> => {
  const manifest = readManifest(folder)
  for (const [path, target] of Object.entries(manifest.exports)) {
    const entry = target as object as Entry
    if (entry[CONDITION] === undefined) continue
    const specifier = manifest.name + path.slice(1)
    const names = (await namesIn(folder, entry.default)).join(", ")
    const text = [
      "import { createRequire } from \"node:module\"",
      throwOnOldNode(specifier, CLIENTS),
      requirePeer(specifier),
      `export const { ${names} } = require("./${basename(entry.default)}")`
    ]
    writeFileSync(join(ROOT, folder, entry[CONDITION]), `${text.join("\n")}\n`)
  }
}
