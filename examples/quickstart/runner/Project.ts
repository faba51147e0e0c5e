/** A project as users have it: the examples outside of the repository, and the built packages in `node_modules`. */
import { cpSync, mkdirSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("../../..", import.meta.url))
const QUICKSTART = join(ROOT, "examples/quickstart")
const AUTOMATION_SCRIPT = join(ROOT, "examples/automation-script/index.ts")

/** The built packages, with the files that they need at run time. */
const PACKAGES = [
  { name: "pulumi-vps", folder: "provider" },
  { name: "@pulumi-vps/sdk", folder: "sdk" },
  { name: "@pulumi-vps/service", folder: "service" }
] as const

/** The optional peer of the provider. */
const PEER = "@pulumi/pulumi"

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
  const modules = join(folder, "node_modules")
  for (const { folder: source, name } of PACKAGES) {
    for (const path of ["package.json", "dist"]) {
      cpSync(join(ROOT, source, path), join(modules, name, path), { recursive: true })
    }
  }
  mkdirSync(dirname(join(modules, PEER)), { recursive: true })
  symlinkSync(join(ROOT, "node_modules", PEER), join(modules, PEER))
  for (const name of ["package.json", "Pulumi.yaml"]) cpSync(join(QUICKSTART, name), join(folder, name))
  cpSync(join(QUICKSTART, program), join(folder, "index.ts"))
  const automationScript = join(folder, "automation-script.ts")
  cpSync(AUTOMATION_SCRIPT, automationScript)
  return {
    folder,
    service: join(modules, "@pulumi-vps/service/dist/bin.js"),
    automationScript
  }
}
