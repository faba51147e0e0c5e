/**
 * The Terraform provider of this package as a file-system mirror, from which `tofu init` and `terraform init` install
 * it. It is a copy, so that it outlives `node_modules`, and all Unix platforms have the same files: the hash in
 * `.terraform.lock.hcl` is the same for a colleague on macOS.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { VERSION } from "../../contract/Version.ts"
import { CommandError, usageError } from "../errors/CommandError.ts"

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

/** The provider in this package; the path is the same from the sources and from the bundle. */
const PACKAGED = fileURLToPath(new URL("../../../terraform", import.meta.url))

/** The folder that `dev_overrides` names. */
export const PROVIDER = process.platform === "win32" ? join(PACKAGED, "windows") : PACKAGED

/** Each engine looks for `pulumi-vps/vps` in its own registry. */
export const ADDRESSES = ["registry.opentofu.org", "registry.terraform.io"].map((host) => `${host}/pulumi-vps/vps`)

interface ProviderFile {
  readonly bytes: Buffer
  readonly mode: number
}

const EXECUTABLE = 0o755
const PLAIN = 0o644

const fileOf = (name: string, mode: number): ProviderFile => ({ bytes: readFileSync(join(PACKAGED, name)), mode })

/** On Windows, the file to start is below the others in the package, and beside them in a mirror. */
const windowsLauncher = (): ProviderFile => {
  const text = readFileSync(join(PACKAGED, "windows/terraform-provider-vps.cmd"), "utf8")
  return { bytes: Buffer.from(text.replace("..\\", "")), mode: PLAIN }
}

const filesFor = (platform: string): ReadonlyMap<string, ProviderFile> => {
  const executable = `terraform-provider-vps_v${VERSION}`
  const shared = ["main.cjs", "provider.mjs", "THIRD_PARTY_NOTICES.txt", "sbom.cdx.json"]
  return new Map([
    platform.startsWith("windows")
      ? [`${executable}.cmd`, windowsLauncher()]
      : [executable, fileOf("terraform-provider-vps", EXECUTABLE)],
    ...shared.map((name) => [name, fileOf(name, PLAIN)] as const)
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
  readonly folder: string
  readonly files: ReadonlyMap<string, ProviderFile>
}

/** @throws CommandError if there is something else. */
const checkExisting = ({ files, folder }: Package): void => {
  const name = differenceOf(folder, files)
  if (name === undefined) return
  throw usageError(
    `${join(folder, name)} differs from the provider of pulumi-vps ${VERSION}, so nothing was written.`,
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
    mkdirSync(join(one.folder, ".."), { recursive: true })
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
export const writeMirror = (mirror: string, platforms: ReadonlyArray<Platform>): void => {
  const packages = [...new Set<string>([OWN, ...platforms])].flatMap((platform) => {
    const files = filesFor(platform)
    return ADDRESSES.map((address): Package => ({ folder: join(mirror, address, VERSION, platform), files }))
  })
  try {
    mkdirSync(mirror, { recursive: true })
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
