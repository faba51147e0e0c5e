/** A stack on the real `pulumi` CLI, with a local file backend inside the project's folder. */
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { launch } from "./Processes.ts"
import { Project } from "./Project.ts"
import type { Result, Stack, StateResource, Verb } from "./Stack.ts"

/** Is there one on PATH? */
export const hasPulumi = spawnSync("pulumi", ["version"], { stdio: "ignore" }).status === 0

const STACK = ["--stack", "test"]
const REPLACED = "urn:pulumi:test::project::pulumi-nodejs:dynamic/vps:Instance::web"
const FLAGS: Record<Verb, ReadonlyArray<string>> = {
  up: ["up", "--yes", "--skip-preview", "--non-interactive"],
  preview: ["preview", "--non-interactive"],
  refresh: ["refresh", "--yes", "--skip-preview", "--non-interactive"],
  destroy: ["destroy", "--yes", "--skip-preview", "--non-interactive"],
  replace: ["up", "--yes", "--skip-preview", "--non-interactive", "--replace", REPLACED]
}

interface Exported {
  readonly deployment: {
    readonly resources?: ReadonlyArray<Partial<StateResource> & { readonly urn: string; readonly type: string }>
  }
}

export const pulumiCli = async (variables: Readonly<Record<string, string>>): Promise<Stack> => {
  const project = new Project()
  let environment = variables
  const home = join(project.folder, ".home")
  mkdirSync(home)
  const command = (args: ReadonlyArray<string>) => {
    const env = { ...project.environment(environment), PULUMI_HOME: home }
    return launch({ file: "pulumi", args, cwd: project.folder, env })
  }
  const must = async (args: ReadonlyArray<string>): Promise<Result> => {
    const result = await command(args).done
    if (result.code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${result.code}:\n${result.output}`)
    return result
  }
  await must(["stack", "init", "test", "--non-interactive"])
  const start = (verb: Verb) => command([...FLAGS[verb], ...STACK])
  return {
    program: (source) => project.program(source),
    environment: (more) => {
      environment = { ...environment, ...more }
    },
    configure: async (name, value, secrecy) => {
      const flag = secrecy === "secret" ? "--secret" : "--plaintext"
      await must(["config", "set", flag, `vps:${name}`, value, ...STACK])
    },
    start,
    run: (verb) => start(verb).done,
    unchanged: ({ output }) => /^Resources:\n {4}\d+ unchanged$/m.test(output),
    unlock: async () => void await must(["cancel", "--yes", "test", "--non-interactive"]),
    resources: async () => {
      const exported = JSON.parse((await must(["stack", "export", ...STACK])).output) as Exported
      return (exported.deployment.resources ?? [])
        .filter(({ type }) => !type.startsWith("pulumi:"))
        .map(({ id = "", initErrors = [], inputs = {}, outputs = {}, type, urn }) => ({
          urn,
          type,
          id,
          inputs,
          outputs,
          initErrors
        }))
    },
    stored: () => project.stored(),
    dispose: () => Promise.resolve(project.dispose())
  }
}
