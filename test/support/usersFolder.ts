/** A user's folder that imports every entry of the published packages, for compilers. */
import { spawnSync } from "node:child_process"
import { cpSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { FOLDERS } from "../../.config/build/workspace.ts"
import { ROOT } from "./consumer.ts"
import { packed, publishedManifest } from "./packed.ts"

interface Target {
  /** Absent for the entry that only our own package uses. */
  readonly types?: string
  readonly default: string
}

export const packages = FOLDERS.map((one) => {
  const { bin = {}, exports, name } = publishedManifest(one)
  const targets = Object.entries(exports as Readonly<Record<string, string | Target>>).flatMap(([path, target]) =>
    typeof target === "string" ? [] : [{ specifier: name + path.slice(1), target }]
  )
  return { folder: one, name, bin, entries: targets, files: packed(one).files }
})
export const entries = packages.flatMap((one) => one.entries)

/** Runs Node in a user's folder, with nothing in its environment but where programs are. */
export const nodeIn = (folder: string) => (...args: ReadonlyArray<string>) => {
  const env = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1" }
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: "utf8" })
  return { status, stderr, stdout }
}

export const writeUsersPrograms = (folder: string): void => {
  cpSync(join(ROOT, "test/e2e/consumer"), folder, { recursive: true })
  renameSync(join(folder, "with-vitest.ts"), join(folder, "script.test.ts"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  const typed = entries.filter(({ target }) => target.types !== undefined)
  const uses = typed.map(({ specifier }, index) => `import * as entry${index} from "${specifier}"`)
  const names = typed.map((_, index) => `entry${index}`).join(", ")
  writeFileSync(join(folder, "all.ts"), `${uses.join("\n")}\nexport const all = [${names}]\n`)
  writeFileSync(join(folder, "use.cts"), readFileSync(join(folder, "use.ts")))
}

/** The errors of a strict compiler in our declarations and in the user's programs, a line each. */
export const compileErrors = (folder: string, tsc: string, more: string): ReadonlyArray<string> => {
  const flags = `--noEmit --strict --exactOptionalPropertyTypes --target es2024 --lib es2024,esnext,dom --types node`
  const programs = more.includes("bundler") ? ["all.ts", "use.ts"] : ["all.ts", "use.ts", "use.cts"]
  const ran = nodeIn(folder)(join(ROOT, "node_modules", tsc), ...`${flags} ${more}`.split(" "), ...programs)
  if (ran.stderr !== "") return [ran.stderr]
  // Pulumi's own declarations fail a strict compiler.
  return ran.stdout.split("\n").filter((line) => line !== "" && !line.includes("node_modules/@pulumi/"))
}
