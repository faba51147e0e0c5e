/** The installed program, as the Debian package and the image contain it: the built service, and Node.js beside it. */
import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

export const ROOT = fileURLToPath(new URL("..", import.meta.url))
export const PACKAGING = join(ROOT, "service/packaging")
const BUILT = join(ROOT, "service/dist")

/** The folder of the program in the installed system. */
export const HOME = "/usr/lib/vps-service"

interface Manifest {
  readonly version: string
  readonly description: string
}

const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Manifest

const { description, version } = read("service/package.json")
export { description, version }

/** The architectures, with the names that Debian and OCI use, and the name in the registry's packages of Node.js. */
export const ARCHITECTURES = { amd64: "x64", arm64: "arm64" } as const
export type Architecture = keyof typeof ARCHITECTURES

const OWN = Object.entries(ARCHITECTURES).find(([, node]) => node === process.arch)?.[0]

/** Runs a program to its end, and returns its output. Throws with what it printed. */
export const run = (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): string => {
  const { error, status, stderr, stdout } = spawnSync(command, args, {
    encoding: "utf8",
    env: { ...process.env, ...env }
  })
  if (error !== undefined) throw new Error(`${command} cannot be started: ${error.message}. Install it.`)
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stderr}${stdout}`)
  return stdout.trim()
}

/** Copies a file with a mode. */
export const place = (from: string, to: string, mode = 0o644): void => {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
  chmodSync(to, mode)
}

/** Node.js of the registry. Symbols are stripped where the tool of this computer can, which saves a seventh. */
const placeNode = (architecture: Architecture, target: string): void => {
  if (architecture === OWN) {
    place(join(ROOT, "node_modules/node/bin/node"), target, 0o755)
    run("strip", [target])
    return
  }
  const folder = mkdtempSync(join(tmpdir(), "vps-node-"))
  try {
    const name = `node-linux-${ARCHITECTURES[architecture]}@${read("node_modules/node/package.json").version}`
    const archive = run("npm", ["pack", "--silent", "--pack-destination", folder, name])
    run("tar", ["-xzf", join(folder, archive), "-C", folder])
    place(join(folder, "package/bin/node"), target, 0o755)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** An executable without a shell: the kernel starts Node.js with this file, and with the one flag that it can pass. */
const COMMAND = `#!${HOME}/bin/node --max-semi-space-size=8
import("${HOME}/dist/service/bin.js")
`

/** Resolves the modules that are loaded on demand, and the panel's files, as the package's own manifest does. */
const IMPORTS = { "#service/*": "./dist/service/*.js", "#panel-files/*": "./dist/service/panel/files/*" }
const MANIFEST = { name: "vps-service", version, type: "module", imports: IMPORTS }

/** Writes the built service into its folder, without Node.js. */
export const placeService = (home: string): void => {
  const built = globSync("service/dist/**/*", { cwd: ROOT, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const { name, parentPath } of built) {
    // Declarations are for programmers, and the embedded service for tests.
    if (name.endsWith(".d.ts") || name === "Embedded.js") continue
    place(join(parentPath, name), join(home, "dist/service", relative(BUILT, parentPath), name))
  }
  for (const name of ["LICENSE", "THIRD_PARTY_NOTICES.txt", "sbom.cdx.json"]) {
    place(join(ROOT, "service", name), join(home, name))
  }
  writeFileSync(join(home, "package.json"), `${JSON.stringify(MANIFEST, null, 2)}\n`)
}

/** Writes the program into the root file system of a package. */
export const placeProgram = (root: string, architecture: Architecture): void => {
  const home = join(root, HOME)
  placeService(home)
  placeNode(architecture, join(home, "bin/node"))
  const command = join(root, "usr/bin/vps-service")
  mkdirSync(dirname(command), { recursive: true })
  writeFileSync(command, COMMAND)
  chmodSync(command, 0o755)
}

/** The flags of the commands that build packages. */
export const options = (): { readonly architecture: Architecture; readonly out: string } => {
  const { values } = parseArgs({ options: { arch: { type: "string", default: OWN ?? "" }, out: { type: "string" } } })
  if (!(values.arch in ARCHITECTURES)) {
    throw new Error(`--arch should be one of ${Object.keys(ARCHITECTURES).join(", ")}; got "${values.arch}".`)
  }
  const out = values.out ?? ROOT
  mkdirSync(out, { recursive: true })
  return { architecture: values.arch as Architecture, out }
}
