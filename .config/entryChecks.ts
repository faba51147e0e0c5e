/**
 * The checks at the entries of the package: the version of Node.js, and the optional peer that an entry needs.
 */
import { build } from "esbuild"
import { writeFileSync } from "node:fs"
import { basename, join } from "node:path"

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

// An entry that needs an optional peer, as Node.js loads it: a missing peer is one sentence that says what to install.
// A static import fails before any code could say that, so these load the entry by `require`. Bundlers follow the
// condition `module`, which leads to the entry itself.

/** The condition of `exports` with the path of the file that this writes. */
const CONDITION = "node"

interface Entry {
  readonly default: string
  readonly [CONDITION]?: string
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | object>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

/** The peer of an entry. */
const peerOf = (specifier: string): string => /provider|pulumi$/.test(specifier) ? "@pulumi/pulumi" : "effect"

/** The statements that load a file, or say which peer is missing. `load` is an expression of JavaScript. */
const orSay = (specifier: string, version: string, load: string): string => {
  const peer = peerOf(specifier)
  const sentence = `${specifier} needs the package ${peer}. Install it: npm install ${peer}@${version}`
  return `let entry
try {
  entry = ${load}
} catch (error) {
  if (!/^Cannot find (package|module) '${peer.replace("/", "\\/")}[/']/.test(error?.message)) throw error
  throw new Error(${JSON.stringify(sentence)}, { cause: error })
}
`
}

const namesIn = async (root: string, file: string): Promise<ReadonlyArray<string>> => {
  const { metafile } = await build({
    absWorkingDir: root,
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
export const writePeerEntries = async (root: string, manifest: Manifest): Promise<void> => {
  for (const [path, target] of Object.entries(manifest.exports)) {
    const entry = target as Entry
    if (entry[CONDITION] === undefined) continue
    const specifier = manifest.name + path.slice(1)
    const load = `createRequire(import.meta.url)("./${basename(entry.default)}")`
    const text = [
      "import { createRequire } from \"node:module\"",
      throwOnOldNode(specifier, CLIENTS),
      orSay(specifier, manifest.peerDependencies[peerOf(specifier)] ?? "", load),
      `export const { ${(await namesIn(root, entry.default)).join(", ")} } = entry`
    ]
    writeFileSync(join(root, entry[CONDITION]), `${text.join("\n")}\n`)
  }
}
