/** The examples of docs/provider: TypeScript on the test engine; YAML and Python on the real CLI. */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { exampleFolder, exampleOf, LANGUAGES, RESOURCES } from "../../.config/providerTexts.ts"
import { cliOf, installPythonSdk } from "../engine/OnCli.ts"
import { hasLanguageHost, hasPulumi, pulumiCli } from "../engine/PulumiCli.ts"
import type { Environment } from "../engine/Environment.ts"
import { ScenarioRunner } from "../engine/ScenarioRunner.ts"
import { dynamic, onTestEngine } from "../engine/scenarioTests.ts"

/** ms; an engine runs four times, and may have to wait until others have ended. */
const TIMEOUT = 600_000
/** ms; a backup is made every night. */
const NIGHT = 86_400_000

const NAMES = RESOURCES.map(({ name }) => name)
const [typescript] = LANGUAGES

const finds = (command: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(command, args, { stdio: "ignore" }).status === 0
const hasPython = hasLanguageHost("python") && finds("python3", "-c", "import pulumi, parver")

describe("the examples in TypeScript, on the test engine", () => {
  const runner = onTestEngine(dynamic)

  it.concurrent.each(NAMES)("%s", async (name) => {
    const program = exampleOf(name, typescript)
    const played = runner.play(async (env) => {
      if (name === "BackupRestore") {
        env.stack.program(program.replace(/^const rollback[^]*/m, ""))
        await env.run("up")
        await env.control("POST", "clock", { advance_ms: NIGHT })
      }
      env.stack.program(program)
      await env.run("up")
      assert.include((await env.resources()).map(({ type }) => type), `vps:index:${name}`)
    })
    assert.isUndefined(await played)
  }, TIMEOUT)
})

describe.skipIf(!hasPulumi)("the examples in other languages, on the real CLI (skipped without pulumi)", () => {
  const runner = new ScenarioRunner(pulumiCli)
  afterAll(() => runner.close())

  /** The project's file, with the name that the stack was made with. */
  const project = (env: Environment, text: string): void =>
    writeFileSync(join(cliOf(env).folder, "Pulumi.yaml"), text.replace(/^name: .*$/m, "name: project"))

  const source = (name: string, file: string): string => readFileSync(new URL(file, exampleFolder(name)), "utf8")

  /** A preview checks the names and the values of all inputs. */
  const previews = async (env: Environment): Promise<void> => {
    assert.include((await env.run("preview")).output, "web: buying VPS S charges 4.99 EUR now")
    env.ending = "refused"
  }

  it.skipIf(!hasLanguageHost("yaml"))("YAML (skipped without pulumi-language-yaml)", async () => {
    const played = runner.play(async (env) => {
      for (const name of NAMES) {
        project(env, source(name, "Pulumi.yaml"))
        await previews(env)
      }
    })
    assert.isUndefined(await played)
  }, TIMEOUT)

  it.skipIf(!hasPython)("Python (skipped without pulumi-language-python and its packages)", async () => {
    const played = runner.play(async (env) => {
      const { folder } = cliOf(env)
      const yaml = source("Instance", "Pulumi.yaml").replace(/^resources:[^]*/m, "")
      project(env, yaml.replace("runtime: yaml", "runtime: python"))
      await installPythonSdk(env, "./node_modules/pulumi-vps/plugin/pulumi-resource-vps")
      for (const name of NAMES) {
        writeFileSync(join(folder, "__main__.py"), source(name, "__main__.py"))
        await previews(env)
      }
    })
    assert.isUndefined(await played)
  }, TIMEOUT)
})
