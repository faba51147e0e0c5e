/**
 * The Terraform provider of the installed `pulumi-vps` as a file-system mirror, from which `tofu init` and
 * `terraform init` install it. It is a copy, so that it outlives `node_modules`, and all Unix platforms have the same
 * files: the hash in `.terraform.lock.hcl` is the same for a colleague on macOS.
 */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { CommandError, usageError } from "../errors/CommandError.ts"
import { makeFolder } from "../shared/Folder.ts"

/** Both engines look here without any setting. */
export const IMPLIED_MIRROR = "terraform.d/plugins"

/** Those that a release has archives for. */
export const PLATFORMS = [
  "linux_amd64",
  "linux_arm64",
  "darwin_amd64",
  "darwin_arm64",
  "windows_amd64",
  "windows_arm64"
] as const
export type Platform = typeof PLATFORMS[number]

const SYSTEMS: Readonly<Record<string, string>> = { win32: "windows" }
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" }

/** The engines' name of this computer's platform. */
const OWN = `${SYSTEMS[process.platform] ?? process.platform}_${ARCHITECTURES[process.arch] ?? process.arch}`

/** The provider in the installed package. */
export interface Provider {
  readonly version: string
  readonly folder: string
  /** The folder that `dev_overrides` names. */
  readonly override: string
}

const MANIFEST = "pulumi-vps/package.json"

/**
 * The provider of the project in the working directory, or else of the packages beside this command.
 * @throws CommandError if the package is in neither.
 */
export const findProvider = (): Provider => {
  for (const from of [join(process.cwd(), "package.json"), import.meta.url]) {
    const require = createRequire(from)
    let manifest: string
    try {
      manifest = require.resolve(MANIFEST)
    } catch { // It may be beside the command.
      continue
    }
    const folder = join(dirname(manifest), "terraform")
    const { version } = require(manifest) as { readonly version: string }
    return { version, folder, override: process.platform === "win32" ? join(folder, "windows") : folder }
  }
  throw usageError(
    "The Terraform provider is in the package pulumi-vps, which is not installed here.",
    "Run npm install pulumi-vps in this folder."
  )
}

/** Each engine looks for `pulumi-vps/vps` in its own registry. */
export const ADDRESSES = ["registry.opentofu.org", "registry.terraform.io"].map((host) => `${host}/pulumi-vps/vps`)

interface ProviderFile {
  readonly bytes: Buffer
  readonly mode: number
}

const EXECUTABLE = 0o755
const PLAIN = 0o644

const fileOf = ({ folder }: Provider, name: string, mode: number): ProviderFile => ({
  bytes: readFileSync(join(folder, name)),
  mode
})

/** On Windows, the file to start is below the others in the package, and beside them in a mirror. */
const windowsLauncher = ({ folder }: Provider): ProviderFile => {
  const text = readFileSync(join(folder, "windows/terraform-provider-vps.cmd"), "utf8")
  return { bytes: Buffer.from(text.replace("..\\", "")), mode: PLAIN }
}

const filesFor = (provider: Provider, platform: string): ReadonlyMap<string, ProviderFile> => {
  const executable = `terraform-provider-vps_v${provider.version}`
  const shared = ["main.cjs", "provider.mjs", "THIRD_PARTY_NOTICES.txt", "sbom.cdx.json"]
  return new Map([
    platform.startsWith("windows")
      ? [`${executable}.cmd`, windowsLauncher(provider)]
      : [executable, fileOf(provider, "terraform-provider-vps", EXECUTABLE)],
    ...shared.map((name) => [name, fileOf(provider, name, PLAIN)] as const)
  ])
}

/** The first difference between a folder and these files: the engine's hash covers all of them. */
const differenceOf = (folder: string, files: ReadonlyMap<string, ProviderFile>): string | undefined => {
  const found = readdirSync(folder)
  return found.find((name) => !files.has(name))
    ?? [...files].find(([name, { bytes }]) => !found.includes(name) || !readFileSync(join(folder, name)).equals(bytes))
      ?.[0]
}

interface Package {
  readonly version: string
  readonly folder: string
  readonly files: ReadonlyMap<string, ProviderFile>
}

/** @throws CommandError if there is something else. */
const checkExisting = ({ files, folder, version }: Package): void => {
  const name = differenceOf(folder, files)
  if (name === undefined) return
  throw usageError(
    `${join(folder, name)} differs from the provider of pulumi-vps ${version}, so nothing was written.`,
    `Delete the folder ${folder} and run the command again.`
  )
}

/** Appears at once: an engine that reads the mirror meanwhile never finds half of a provider. */
const write = (mirror: string, one: Package): void => {
  const draft = mkdtempSync(join(mirror, ".draft-"))
  try {
    // Only its owner could read it otherwise.
    chmodSync(draft, EXECUTABLE)
    for (const [name, { bytes, mode }] of one.files) writeFileSync(join(draft, name), bytes, { mode })
    makeFolder(dirname(one.folder))
    // Another process may have been quicker.
    if (existsSync(one.folder)) checkExisting(one)
    else renameSync(draft, one.folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/**
 * Adds this version of the provider to a mirror, for this platform and those given. Other versions in it stay, and the
 * same version is only compared.
 * @throws CommandError if this version exists with other files, or the folder cannot be written.
 */
export const writeMirror = (provider: Provider, mirror: string, platforms: ReadonlyArray<Platform>): void => {
  const packages = [...new Set<string>([OWN, ...platforms])].flatMap((platform): ReadonlyArray<Package> => {
    const { version } = provider
    const files = filesFor(provider, platform)
    return ADDRESSES.map((address) => ({ folder: join(mirror, address, version, platform), files, version }))
  })
  try {
    makeFolder(mirror)
    const isPresent = ({ folder }: Package): boolean => existsSync(folder)
    for (const one of packages.filter(isPresent)) checkExisting(one)
    for (const one of packages.filter((one) => !isPresent(one))) write(mirror, one)
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw usageError(
      `The provider cannot be copied to ${mirror}: ${(error as Error).message}`,
      "Name a folder that you can write with --mirror."
    )
  }
}
