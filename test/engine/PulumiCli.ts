/** A stack on the real `pulumi` CLI, with a local file backend inside the project's folder. */
import { PULUMI } from "#provider/HostWords"
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import { launch, type Launched } from "./Processes.ts"
import { Project } from "./Project.ts"
import type { Exported, Pending, Result, RunOptions, Stack, StateResource, Verb } from "./Stack.ts"

/** Is there one on PATH? */
export const hasPulumi = spawnSync("pulumi", ["version"], { stdio: "ignore" }).status === 0

const isOnPath = (command: string): boolean => spawnSync("which", [command], { stdio: "ignore" }).status === 0

/** Set to "inline", it plays a machine without the language host for Node.js. */
const PROGRAMS = "VPS_TEST_PULUMI_PROGRAMS"

/** Can `pulumi` run programs in this language by file? Only Pulumi's full release has the host for Node.js. */
export const hasLanguageHost = (language: "dotnet" | "go" | "java" | "nodejs" | "python" | "yaml"): boolean =>
  hasPulumi && isOnPath(`pulumi-language-${language}`)
  && (language !== "nodejs" || process.env[PROGRAMS] !== "inline")

const hasNodeHost = hasLanguageHost("nodejs")

const INLINE = fileURLToPath(new URL("inlineProgram.ts", import.meta.url))

interface ProjectFile {
  readonly runtime: string | { readonly name: string }
  readonly main?: string
}

/** The command's file and arguments: without the host for Node.js, a program in it is served to the engine inline. */
const commandLine = (folder: string, args: ReadonlyArray<string>): readonly [string, ReadonlyArray<string>] => {
  const { main = "index.js", runtime } = parse(readFileSync(join(folder, "Pulumi.yaml"), "utf8")) as ProjectFile
  const language = typeof runtime === "string" ? runtime : runtime.name
  const isInline = !hasNodeHost && language === "nodejs" && Object.hasOwn(FLAGS, args[0] ?? "")
  return isInline ? [process.execPath, [INLINE, main, ...args]] : ["pulumi", args]
}

const STACK = ["--stack", "test"]
const QUIET = ["--yes", "--skip-preview", "--non-interactive"]
const FLAGS: Record<Verb, ReadonlyArray<string>> = {
  up: ["up", ...QUIET],
  preview: ["preview", "--non-interactive"],
  refresh: ["refresh", ...QUIET],
  destroy: ["destroy", ...QUIET]
}

const flagsOf = (options: RunOptions): ReadonlyArray<string> => [
  ...(options.replace ?? []).flatMap((urn) => ["--replace", urn]),
  ...options.refresh === true ? ["--refresh"] : [],
  ...options.continueOnError === true ? ["--continue-on-error"] : [],
  ...options.parallel === undefined ? [] : ["--parallel", String(options.parallel)]
]

interface Deployment {
  readonly resources?: ReadonlyArray<Partial<StateResource> & { readonly urn: string; readonly type: string }>
  readonly pending_operations?: ReadonlyArray<{ readonly type: Pending["type"]; readonly resource: { urn: string } }>
}

const exported = (json: string): Exported => {
  const { pending_operations: pending = [], resources = [] } =
    (JSON.parse(json) as { deployment: Deployment }).deployment
  return {
    resources: resources
      .filter(({ type }) => !type.startsWith("pulumi:"))
      .map((
        { delete: old = false, id = "", initErrors = [], inputs = {}, outputs = {}, sourcePosition, type, urn }
      ) => ({
        urn,
        type,
        id,
        inputs,
        outputs,
        initErrors,
        delete: old,
        sourcePosition
      })),
    pending: pending.map(({ resource, type }) => ({ type, urn: resource.urn }))
  }
}

/** Features of the real CLI alone. */
export interface CliStack extends Stack {
  /** The project. */
  readonly folder: string
  /** `pulumi` with these arguments and the stack's environment. */
  readonly command: (args: ReadonlyArray<string>) => Launched
}

export const pulumiCli = async (variables: Readonly<Record<string, string>>): Promise<CliStack> => {
  const project = new Project()
  let environment = variables
  const home = join(project.folder, ".home")
  mkdirSync(home)
  const command = (args: ReadonlyArray<string>) => {
    const env = { ...project.environment(environment), PULUMI_HOME: home }
    const [file, line] = commandLine(project.folder, args)
    return launch({ file, args: line, cwd: project.folder, env })
  }
  const must = async (args: ReadonlyArray<string>): Promise<Result> => {
    const result = await command(args).done
    if (result.code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${result.code}:\n${result.output}`)
    return result
  }
  await must(["stack", "init", "test", "--non-interactive"])
  const start = (verb: Verb, options: RunOptions = {}) => command([...FLAGS[verb], ...flagsOf(options), ...STACK])
  return {
    words: PULUMI,
    folder: project.folder,
    command,
    program: (source) => project.program(source),
    environment: (more) => {
      environment = { ...environment, ...more }
    },
    configure: async (name, value, secrecy) => {
      const flag = secrecy === "secret" ? "--secret" : "--plaintext"
      await must(["config", "set", flag, `vps:${name}`, value, ...STACK])
    },
    start,
    run: (verb, options) => start(verb, options).done,
    unchanged: ({ output }) => /^Resources:\n {4}\d+ unchanged$/m.test(output),
    cancel: async () => {
      project.mend()
      await must(["cancel", "--yes", "test", "--non-interactive"])
    },
    exportState: async () => exported((await must(["stack", "export", ...STACK])).output),
    importState: async (json) => {
      const file = join(home, "imported.json")
      writeFileSync(file, json)
      await must(["stack", "import", "--file", file, ...STACK])
      rmSync(file)
    },
    save: () => project.save(),
    stored: () => project.stored(),
    dispose: () => Promise.resolve(project.dispose())
  }
}
