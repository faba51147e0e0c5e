/** Stacks on the test engine: they need only Node. */
import { PULUMI } from "#provider/HostWords"
import { rmSync, writeFileSync } from "node:fs"
import { documentOf } from "./host/ExportedDeployment.ts"
import { Programs } from "./host/Programs.ts"
import { lockFile, Run, stateFile } from "./host/Run.ts"
import { readDocument } from "./host/State.ts"
import { Vault } from "./host/Vault.ts"
import { Project } from "./Project.ts"
import type { Stack, Verb } from "./Stack.ts"

const PASSPHRASE = "a passphrase of the tests"

export class TestEngine {
  readonly #programs = new Programs()
  readonly #vault = new Vault(PASSPHRASE)

  /** Ends the warm processes that wait for the next program. */
  close(): void {
    this.#programs.close()
  }

  readonly make = (variables: Readonly<Record<string, string>>): Promise<Stack> => {
    const project = new Project()
    const config = new Map<string, { readonly value: string; readonly secret: boolean }>()
    let environment = variables
    const start = (verb: Verb, options?: Parameters<Stack["start"]>[1]) => {
      const keys = [...config.keys()]
      const setting = {
        folder: project.folder,
        environment: project.environment(environment),
        config: Object.fromEntries([...config].map(([key, { value }]) => [key, value])),
        secretKeys: keys.filter((key) => config.get(key)?.secret === true),
        vault: this.#vault,
        programs: this.#programs
      }
      return new Run(setting, verb, options)
    }
    return Promise.resolve({
      words: PULUMI,
      program: (source) => project.program(source),
      environment: (more) => {
        environment = { ...environment, ...more }
      },
      configure: (name, value, secrecy) => {
        config.set(`vps:${name}`, { value, secret: secrecy === "secret" })
        return Promise.resolve()
      },
      start,
      run: (verb, options) => start(verb, options).done,
      unchanged: ({ output }) => output.includes("summary: {\"create\":0,\"update\":0,\"replace\":0,\"delete\":0,"),
      cancel: () => Promise.resolve(rmSync(lockFile(project.folder), { force: true })),
      exportState: () => Promise.resolve(readDocument(stateFile(project.folder))),
      importState: (json) => {
        writeFileSync(stateFile(project.folder), JSON.stringify(documentOf(json, this.#vault)))
        return Promise.resolve()
      },
      save: () => project.save(),
      stored: () => project.stored(),
      dispose: () => Promise.resolve(project.dispose())
    })
  }
}
