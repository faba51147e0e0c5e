/** Scenarios that only the real CLI can play: import, Ctrl-C, other languages, ways of being found. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { VERSION } from "#contract/Version"
import type { CliStack } from "./PulumiCli.ts"
import type { Result } from "./Stack.ts"
import type { Environment } from "./Environment.ts"

/** The stack of a env whose runner plays on the CLI. */
export const cliOf = (env: Environment): CliStack => {
  if ("command" in env.stack) return env.stack as CliStack
  throw new Error("this scenario plays on the real CLI only")
}

export const QUIET = ["--yes", "--non-interactive", "--stack", "test"]

/** Any command that must succeed. */
export const must = async (env: Environment, ...args: ReadonlyArray<string>): Promise<Result> => {
  const result = await cliOf(env).command(args).done
  if (result.code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${result.code}:\n${result.output}`)
  return result
}

/** `pulumi import`; returns the code that it writes, without its imports. */
export const imported = async (env: Environment, type: string, name: string, id: string): Promise<string> => {
  const file = `${cliOf(env).folder}/node_modules/imported.ts`
  await must(env, "import", type, name, id, "--protect=false", "--skip-preview", "--out", file, ...QUIET)
  const code = readFileSync(file, "utf8")
  rmSync(file)
  return code.split("\n").filter((line) => !line.startsWith("import ")).join("\n")
}

/** Generates the plugin's SDK for a language; returns its folder. */
export const generateSdk = async (env: Environment, language: string, plugin: string): Promise<string> => {
  const out = join(cliOf(env).folder, "node_modules/sdk")
  await must(env, "package", "gen-sdk", plugin, "--language", language, "--out", out)
  return join(out, language)
}

/** The SDK for Python where programs find it, as an installer leaves it: it requests its own version. */
export const installPythonSdk = async (env: Environment, plugin: string): Promise<void> => {
  const folder = await generateSdk(env, "python", plugin)
  mkdirSync(join(folder, `pulumi_vps-${VERSION}.dist-info`))
  const metadata = `Metadata-Version: 2.1\nName: pulumi_vps\nVersion: ${VERSION}\n`
  writeFileSync(join(folder, `pulumi_vps-${VERSION}.dist-info/METADATA`), metadata)
  env.stack.environment({ PYTHONPATH: folder })
}
