/** The examples of the installed package, as users copy them out. */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"

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

/** Runs a copied example's test files with Node's runner, with nothing in its environment but where programs are. */
export const runExampleTests = (folder: string, project: string, ...files: ReadonlyArray<string>) => {
  // Pulumi keeps things in its user's home.
  const home = join(folder, "home")
  mkdirSync(home, { recursive: true })
  const path = `${dirname(process.execPath)}:${process.env["PATH"]}`
  const env = { PATH: path, HOME: home, NO_COLOR: "1", NODE_NO_WARNINGS: "1" }
  const args = ["--test", "--test-reporter=tap", ...files]
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: join(folder, project), env, encoding: "utf8" })
  const count = (word: string) => Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(stdout)?.[1])
  return {
    status,
    passed: count("pass"),
    skipped: count("skipped"),
    failed: /^ *not ok[^]*?\n *\.\.\./m.exec(stdout)?.[0]
  }
}
