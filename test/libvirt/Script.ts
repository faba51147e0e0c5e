/** The shell commands of a document, executed with the programs and files of a test. */
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { codeBlocks, readDocument } from "../support/documents.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

/** The guide for operators of real hosts. */
export const PAGE = "docs/real-instances.md"

/** The blocks of shell commands in a document that contain a text. */
export const blocksWith = (document: string, text: string): ReadonlyArray<string> => {
  const found = codeBlocks(readDocument(document), "sh").filter((block) => block.includes(text))
  if (found.length === 0) throw new Error(`${document} has no commands with ${text}`)
  return found
}

/** Starts Node faster from the second time on. */
export const COMPILED = { NODE_COMPILE_CACHE: join(tmpdir(), "vps-compiled") }

/** The operator's shell: `vps-service` is this source tree's. Stops at the first command that fails. */
const shell = (commands: string, cwd: string, environment: Readonly<Record<string, string>>) => {
  const service = `${process.execPath} --conditions=pulumi-vps-source ${join(ROOT, "service/bin.ts")}`
  const script = `set -euo pipefail\nvps-service() { ${service} "$@"; }\n${commands}`
  const env = { ...process.env, ...COMPILED, NO_COLOR: "1", ...environment }
  return { args: ["-c", script], options: { cwd, encoding: "utf8", env } } as const
}

export const runShell = (commands: string, folder: string, environment: Readonly<Record<string, string>>): string => {
  const { args, options } = shell(commands, folder, environment)
  const { status, stderr, stdout } = spawnSync("bash", args, options)
  if (status !== 0) throw new Error(`${commands}\n${stdout}${stderr}`)
  return stdout
}

/** This process continues meanwhile: the service may be connected through its relay. */
export const awaitShell = async (
  commands: string,
  folder: string,
  environment: Readonly<Record<string, string>>
): Promise<string> => {
  const { args, options } = shell(commands, folder, environment)
  return (await promisify(execFile)("bash", args, options)).stdout
}

/** The service's variables that a block sets, and the flags with which it starts the service. */
export const settingsOf = (block: string) => {
  const printed = runShell(`vps-service() { echo "flags $*"; }\n${block}\nenv`, "/", {})
  const variables = [...printed.matchAll(/^(VPS_SERVICE_\w+)=(.*)$/gm)]
  return {
    env: Object.fromEntries(variables.map(([, name, value]) => [name, value])) as Readonly<Record<string, string>>,
    flags: /^flags (.*)$/m.exec(printed)?.[1]?.split(" ") ?? []
  }
}

export interface KeyPair {
  readonly privateKey: string
  readonly publicKey: string
  readonly remove: () => void
}

/** An SSH key of a test's own. */
export const makeKey = (): KeyPair => {
  const folder = mkdtempSync(join(tmpdir(), "vps-key-"))
  const privateKey = join(folder, "id")
  const { status, stderr } = spawnSync("ssh-keygen", [
    "-q",
    "-t",
    "ed25519",
    "-N",
    "",
    "-f",
    privateKey,
    "-C",
    "a test"
  ], {
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(stderr)
  const publicKey = spawnSync("cat", [`${privateKey}.pub`], { encoding: "utf8" }).stdout.trim()
  return { privateKey, publicKey, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A catalogue with one data center, two plans, a guest and an ISO; its default sizes are enough for the tiny one. */
export const writeCatalogue = (folder: string, ram: readonly [string, string] = ["192 MB", "256 MB"]): void => {
  const plan = (id: number, ram: string) =>
    `  - { id: ${id}, slug: p${id}, name: P${id}, price: ${id}, currency: EUR, category: vps, data_center: Helsinki,
      specs: { vcpu: ${id}, ram: ${ram}, storage: ${id} GB } }\n`
  writeFileSync(
    join(folder, "catalogue.yaml"),
    `data_centers:
  - { id: 1, label: Helsinki }
images:
  - { os_id: 1, slug: debian-12, label: Debian, version: "12", family: linux, data_centers: [Helsinki],
      default_in: [Helsinki] }
isos:
  - { id: 1, name: rescue, file_name: rescue.iso, size_bytes: 1000000 }
plans:
${plan(1, ram[0])}${plan(2, ram[1])}`
  )
}
