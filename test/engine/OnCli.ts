/** Scenarios that only the real CLI can play: import, Ctrl-C, other languages, ways of being found. */
import { readFileSync, rmSync } from "node:fs"
import type { CliStack } from "./PulumiCli.ts"
import type { Result } from "./Stack.ts"
import type { Stage } from "./Stage.ts"

/** The stack of a stage whose theatre plays on the CLI. */
export const cliOf = (stage: Stage): CliStack => {
  if ("command" in stage.stack) return stage.stack as CliStack
  throw new Error("this scenario plays on the real CLI only")
}

const QUIET = ["--yes", "--non-interactive", "--stack", "test"]

/** Any command that must succeed. */
export const must = async (stage: Stage, ...args: ReadonlyArray<string>): Promise<Result> => {
  const result = await cliOf(stage).command(args).done
  if (result.code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${result.code}:\n${result.output}`)
  return result
}

/** `pulumi import`; answers the code that it writes, without its imports. */
export const imported = async (stage: Stage, type: string, name: string, id: string): Promise<string> => {
  const file = `${cliOf(stage).folder}/node_modules/imported.ts`
  await must(stage, "import", type, name, id, "--protect=false", "--skip-preview", "--out", file, ...QUIET)
  const code = readFileSync(file, "utf8")
  rmSync(file)
  return code.split("\n").filter((line) => !line.startsWith("import ")).join("\n")
}
