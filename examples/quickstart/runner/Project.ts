/** A project as users have it: the examples outside of the repository, and the built package in `node_modules`. */
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("../../..", import.meta.url))
const QUICKSTART = join(ROOT, "examples/quickstart")
const AUTOMATION_SCRIPT = join(ROOT, "examples/automation-script/index.ts")

interface Manifest {
  readonly name: string
  readonly bin: Record<string, string>
  readonly dependencies: Record<string, string>
  readonly peerDependencies: Record<string, string>
}

export interface Project {
  /** The project folder, which contains `Pulumi.yaml`. */
  readonly folder: string
  /** Path of the built `vps-service`. */
  readonly service: string
  readonly automationScript: string
}

/** Creates the project below `parent`. It links to the dependencies of the repository, so nothing is downloaded. */
export const makeProject = (parent: string, program = "index.ts"): Project => {
  const folder = join(parent, "project")
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest
  const modules = join(folder, "node_modules")
  const installed = join(modules, manifest.name)
  for (const path of ["package.json", "dist"]) cpSync(join(ROOT, path), join(installed, path), { recursive: true })
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name))
  }
  for (const name of ["package.json", "Pulumi.yaml"]) cpSync(join(QUICKSTART, name), join(folder, name))
  cpSync(join(QUICKSTART, program), join(folder, "index.ts"))
  const automationScript = join(folder, "automation-script.ts")
  cpSync(AUTOMATION_SCRIPT, automationScript)
  return {
    folder,
    service: join(installed, manifest.bin["vps-service"]!),
    automationScript
  }
}
