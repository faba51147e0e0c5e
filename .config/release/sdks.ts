/** The SDKs of other languages: generated from the plugin's schema by `pulumi package gen-sdk`, then built. */
import { spawnSync } from "node:child_process"
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { goModule } from "../repository.ts"
import { archive } from "./archives.ts"

/** 1980-01-01: a wheel is a zip, which cannot have an earlier time. */
const EPOCH = "315532800"

export interface Options {
  /** The tree that is released. */
  readonly root: string
  readonly version: string
  readonly repository: string | undefined
  readonly work: string
  readonly output: string
}

const run = (file: string, args: ReadonlyArray<string>, cwd: string): void => {
  const env = { ...process.env, SOURCE_DATE_EPOCH: EPOCH, PULUMI_SKIP_UPDATE_CHECK: "true" }
  const { error, status, stderr, stdout } = spawnSync(file, args, { cwd, env, encoding: "utf8" })
  if (status !== 0) throw new Error(`${file} ${args.join(" ")}: ${error?.message ?? stdout + stderr}`)
}

/** Can the program be started? */
const has = (program: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0

const generate = ({ root, work }: Options, language: string): string => {
  const schema = join(root, "provider/plugin/schema.json")
  run("pulumi", ["package", "gen-sdk", schema, "--language", language, "--out", join(work, "sdk")], work)
  return join(work, "sdk", language)
}

const README = "# pulumi_vps\n\nThe Python SDK of the Pulumi provider of pulumi-vps.\n"

/** Builds the wheel and the source distribution with the tools of a virtual environment of its own. */
const python = (options: Options): ReadonlyArray<string> => {
  const folder = generate(options, "python")
  // Its pyproject.toml names one, which the generator does not write.
  writeFileSync(join(folder, "README.md"), README)
  copyFileSync(join(options.root, "LICENSE"), join(folder, "LICENSE"))
  const tools = join(options.work, "python-tools")
  run("python3", ["-m", "venv", tools], options.work)
  run(join(tools, "bin/pip"), ["install", "--quiet", "build", "setuptools>=61", "wheel"], options.work)
  const built = join(options.work, "python-built")
  run(join(tools, "bin/python"), ["-m", "build", "--no-isolation", "--outdir", built], folder)
  return globSync("*.{whl,tar.gz}", { cwd: built }).toSorted().map((name) => {
    copyFileSync(join(built, name), join(options.output, name))
    return name
  })
}

/** The module with the tag `sdk/go/vps/v...`: Go downloads it from the repository. */
const go = (options: Options): ReadonlyArray<string> => {
  const folder = join(generate(options, "go"), "vps")
  // The versions of Go and of Pulumi's SDK are the tested example's.
  const [, requirements = ""] = readFileSync(join(options.root, "examples/go/go.mod"), "utf8").split(/^module .*$/m)
  writeFileSync(join(folder, "go.mod"), `module ${goModule(options.repository)}\n${requirements}`)
  copyFileSync(join(options.root, "LICENSE"), join(folder, "LICENSE"))
  run("go", ["build", "-mod=mod", "./..."], folder)
  const staged = join(options.work, "go-staged/sdk/go")
  mkdirSync(staged, { recursive: true })
  cpSync(folder, join(staged, "vps"), { recursive: true })
  const name = `pulumi-vps-go-v${options.version}.tar.gz`
  archive(join(options.work, "go-staged"), join(options.output, name))
  return [name]
}

/** Makes the SDKs whose tools are installed; `skipped` says by name which are not. */
export const makeSdks = (options: Options): { files: ReadonlyArray<string>; skipped: ReadonlyArray<string> } => {
  if (!has("pulumi", "version")) return { files: [], skipped: ["Python SDK (no pulumi)", "Go SDK (no pulumi)"] }
  const hasPython = has("python3", "-m", "venv", "--help")
  const hasGo = has("go", "version")
  return {
    files: [...(hasPython ? python(options) : []), ...(hasGo ? go(options) : [])],
    skipped: [...(hasPython ? [] : ["Python SDK (no python3)"]), ...(hasGo ? [] : ["Go SDK (no go)"])]
  }
}
