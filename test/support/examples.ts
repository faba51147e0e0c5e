/** The examples of the installed package, as users copy them out. */
import { cpSync, existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

const inPackage = (folder: string): string => join(folder, "node_modules/pulumi-vps/examples")

/** The projects in the package that a consumer's folder has; `terraform` has configurations of its own. */
export const exampleNames = (folder: string): ReadonlyArray<string> =>
  readdirSync(inPackage(folder)).filter((name) => existsSync(join(inPackage(folder), name, "package.json")))

/** Copies one beside the folder's `node_modules`, and returns its path. */
export const copyExample = (folder: string, name: string): string => {
  const copy = join(folder, name)
  cpSync(join(inPackage(folder), name), copy, { recursive: true })
  return copy
}
