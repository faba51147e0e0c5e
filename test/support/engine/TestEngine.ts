/** A stack on the test engine: needs nothing but Node. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { launch } from "./Processes.ts"
import { Project } from "./Project.ts"
import type { Stack, StateResource, Verb } from "./Stack.ts"

const MAIN = fileURLToPath(new URL("host/main.ts", import.meta.url))

export const testEngine = (variables: Readonly<Record<string, string>>): Promise<Stack> => {
  const project = new Project()
  const config = new Map<string, string>()
  let environment = variables
  const start = (verb: Verb) =>
    launch({
      file: process.execPath,
      args: [MAIN, verb, project.folder],
      cwd: project.folder,
      env: project.environment(environment)
    })
  const state = (): ReadonlyArray<StateResource> => {
    const file = join(project.folder, "state.json")
    if (!existsSync(file)) return []
    return (JSON.parse(readFileSync(file, "utf8")) as { resources: Array<StateResource> }).resources
  }
  return Promise.resolve({
    program: (source) => project.program(source),
    environment: (more) => {
      environment = { ...environment, ...more }
    },
    configure: (name, value, secrecy) => {
      config.set(`vps:${name}`, value)
      const secrets = secrecy === "secret" ? [`vps:${name}`] : []
      environment = {
        ...environment,
        PULUMI_CONFIG: JSON.stringify(Object.fromEntries(config)),
        PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secrets)
      }
      return Promise.resolve()
    },
    start,
    run: (verb) => start(verb).done,
    unchanged: ({ output }) => output.includes("summary: {\"create\":0,\"update\":0,\"replace\":0,\"delete\":0,"),
    unlock: () => Promise.resolve(),
    resources: () => Promise.resolve(state()),
    stored: () => project.stored(),
    dispose: () => Promise.resolve(project.dispose())
  })
}
