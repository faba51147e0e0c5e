/** A user's project: the packed packages and tools from the registry, in the exact versions of test/runtimes. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FOLDERS, ROOT } from "../../.config/build/workspace.ts"
import { packed } from "./packed.ts"

export interface Project {
  readonly folder: string
  /** Loads a module as the project's programs do. */
  readonly require: <Module>(name: string) => Module
}

interface Tools {
  readonly dependencies: Readonly<Record<string, string>>
}

/** npm's errors without a registry. Any other one is a failure of the test. */
const UNREACHABLE = /npm error code (ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ERR_SOCKET_TIMEOUT)/

const INSTALL = [
  "install",
  "--no-audit",
  "--no-fund",
  "--no-package-lock",
  "--prefer-offline",
  "--loglevel=error",
  // npm would retry for minutes.
  "--fetch-retry-mintimeout=1000",
  "--fetch-retry-maxtimeout=2000"
]

/** Installs the packages with these tools, or returns undefined without a registry. The caller removes the folder. */
export const makeProject = (...names: ReadonlyArray<string>): Project | undefined => {
  const { dependencies, ...manifest } = JSON.parse(
    readFileSync(join(ROOT, "test/runtimes/package.json"), "utf8")
  ) as Tools
  const chosen = names.map((name) => {
    const version = dependencies[name]
    if (!/^\d+\.\d+\.\d+$/.test(version ?? "")) throw new Error(`test/runtimes has no exact version of ${name}`)
    return [name, version]
  })
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-project-"))
  const own = FOLDERS.map((folder) => packed(folder)).map(({ name, path }) => [name, `file:${path}`] as const)
  const all = { ...Object.fromEntries(own), ...Object.fromEntries(chosen) as Tools["dependencies"] }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, dependencies: all }))
  const { status, stderr } = spawnSync("npm", INSTALL, { cwd: folder, encoding: "utf8" })
  if (status !== 0) rmSync(folder, { recursive: true, force: true })
  if (status !== 0 && UNREACHABLE.test(stderr)) return undefined
  if (status !== 0) throw new Error(`npm ${INSTALL.join(" ")}: ${stderr}`)
  return { folder, require: createRequire(join(folder, "package.json")) }
}
