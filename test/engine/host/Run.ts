/**
 * One run of the test engine, inside the test's own process. The program runs in a process of the language host's kind,
 * the provider in the real dynamic host; only the engine between them is ours, and kill -9 of it is a cut.
 */
import type { ChildProcess } from "node:child_process"
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { providerOrphan } from "../Processes.ts"
import type { Result, Running, RunOptions, Verb } from "../Stack.ts"
import { KillSwitch } from "./KillSwitch.ts"
import { deleteAll } from "./Deletes.ts"
import { Deployment, PARALLEL } from "./Deployment.ts"
import { listen } from "./Monitor.ts"
import type { Program, Programs } from "./Programs.ts"
import { PluginProcess, type ProviderRecord } from "./PluginProcess.ts"
import type { Launch } from "./Provider.ts"
import { ProviderProcess } from "./ProviderProcess.ts"
import { refresh } from "./Refresh.ts"
import { State } from "./State.ts"
import type { Vault } from "./Vault.ts"
import type { Context } from "./Steps.ts"

export interface Setting {
  readonly folder: string
  readonly environment: Record<string, string>
  readonly config: Record<string, string>
  readonly secretKeys: ReadonlyArray<string>
  readonly vault: Vault
  readonly programs: Programs
}

const PROJECT = "project"
const STACK = "test"
/** The exit code after kill -9. */
const KILLED = -1

export const stateFile = (folder: string): string => join(folder, "state.json")
export const lockFile = (folder: string): string => join(folder, "lock")

type Kind = "dynamic" | "plugin"
type Process = ProviderProcess | PluginProcess

/** The last of a URN's types is the resource's own. */
const kindOf = (urn: string): Kind =>
  (urn.split("::")[2] ?? "").split("$").at(-1)?.startsWith("pulumi-nodejs:dynamic/") === true ? "dynamic" : "plugin"

const startDynamic = async (
  launch: Launch,
  config: Setting["config"],
  children: Array<ChildProcess>
): Promise<ProviderProcess> => {
  const child = ProviderProcess.launch(launch)
  children.push(child)
  return await ProviderProcess.connect(child, config, launch)
}

const startPlugin = async (
  launch: Launch,
  config: Setting["config"],
  record: ProviderRecord,
  children: Array<ChildProcess>
): Promise<PluginProcess> => {
  const child = PluginProcess.launch(launch)
  children.push(child)
  return await PluginProcess.connect(child, config, record, launch)
}

export class Run implements Running {
  readonly done: Promise<Result>
  readonly #setting: Setting
  readonly #verb: Verb
  readonly #cut = new KillSwitch()
  readonly #lines: Array<string> = []
  /** Of each kind one, started with the first resource that it serves. */
  readonly #providers = new Map<Kind, Promise<Process>>()
  readonly #children: Array<ChildProcess> = []
  #program: Program | undefined
  #close: () => void = () => undefined

  constructor(setting: Setting, verb: Verb, options: RunOptions = {}) {
    this.#setting = setting
    this.#verb = verb
    const killed = this.#cut.made.then(() => KILLED)
    const say = (line: string): void => void this.#lines.push(line)
    this.done = Promise.race([this.#main(options, say), killed]).then((code) => ({
      code,
      output: `${this.#lines.join("\n")}\n`
    }))
  }

  kill(): Promise<Result> {
    for (const child of this.#children) child.kill("SIGKILL")
    this.#cut.make()
    if (this.#program === undefined) this.#close()
    else this.#program.abandon(this.#close)
    return this.done
  }

  /** The program's process outlives the run, as under the real language host; it is ended here. */
  killEngine(): Promise<Result> {
    this.#cut.make()
    this.#program?.kill()
    this.#close()
    return this.done
  }

  killProvider(): Promise<Result> {
    for (const child of this.#children) child.kill("SIGKILL")
    return this.done
  }

  descendants(): ReturnType<Running["descendants"]> {
    return providerOrphan(this.#children[0])
  }

  async #main(options: RunOptions, say: (line: string) => void): Promise<number> {
    const { config, environment, folder, vault } = this.#setting
    const lock = lockFile(folder)
    const changing = this.#verb !== "preview"
    if (changing && existsSync(lock)) {
      say("error: the stack is currently locked by 1 lock(s)")
      return 255
    }
    if (changing) writeFileSync(lock, "")
    const state = new State(stateFile(folder), vault, this.#cut)
    // Only a create that was cut off is remembered: the others are found again by looking at the resource.
    state.pending = state.pending.filter(({ type }) => type === "creating")
    for (const { type, urn } of state.pending) say(`warning: ${urn} was interrupted while ${type}`)
    const context: Context = {
      stack: STACK,
      project: PROJECT,
      preview: !changing,
      options,
      state,
      provider: async (urn) => {
        if (kindOf(urn) === "dynamic") return await start.dynamic()
        return (await start.plugin()).about(urn)
      },
      say
    }
    const deployment = new Deployment(context)
    const { address, close } = await listen({
      register: (goal) => deployment.register(goal),
      invoke: async (tok, args) => await (await start.plugin()).invoke(tok, args),
      say
    })
    const launch = { folder, address, project: PROJECT, environment, cut: this.#cut, say }
    const start = {
      dynamic: () => this.#start("dynamic", () => startDynamic(launch, config, this.#children)),
      plugin: () => this.#start("plugin", () => startPlugin(launch, config, this.#recordIn(state), this.#children))
    }
    this.#close = close
    if (this.#cut.dead) close()
    const well = await this.#cut.unless(this.#work(deployment, context, address))
    state.flush()
    say(`summary: ${JSON.stringify(deployment.summary)}`)
    await this.#stop()
    close()
    if (changing) rmSync(lock, { force: true })
    return well && !deployment.failed ? 0 : 255
  }

  async #work(deployment: Deployment, context: Context, address: string): Promise<boolean> {
    const { options, state } = context
    if (this.#verb === "refresh" || options.refresh === true) await refresh(context, deployment)
    if (this.#verb === "refresh" || deployment.failed) return true
    if (this.#verb === "destroy") {
      await deleteAll(context, deployment, state.resources)
      return true
    }
    const { config, environment, folder, programs, secretKeys } = this.#setting
    const order = { folder, address, project: PROJECT, stack: STACK, config, secretKeys, environment }
    const parallel = options.parallel ?? PARALLEL
    const program = programs.run(
      { ...order, preview: context.preview, parallel },
      (line) => context.say(`program: ${line}`)
    )
    this.#program = program
    // A failed step ends the program at once.
    const well = await Promise.race([program.done, deployment.stopped.then(() => false)])
    if (!well) program.kill()
    else await deleteAll(context, deployment, deployment.leftovers())
    return well
  }

  /** A program registers the default provider; refresh and destroy only use it. */
  #recordIn(state: State): ProviderRecord {
    if (this.#verb === "preview") return { before: state.provider }
    if (this.#verb !== "up") return {}
    return {
      before: state.provider,
      store: (inputs) => {
        state.provider = inputs
      }
    }
  }

  #start<A extends Process>(kind: Kind, launch: () => Promise<A>): Promise<A> {
    const running = this.#providers.get(kind) ?? launch()
    this.#providers.set(kind, running)
    // A kind stands for one class.
    return running as Promise<A>
  }

  /** All that the providers have printed is part of the output. */
  async #stop(): Promise<void> {
    const living = this.#children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    const closed = living.map((child) => new Promise((resolve) => child.once("close", resolve)))
    const providers = await Promise.allSettled(this.#providers.values())
    if (providers.some(({ status }) => status === "rejected")) { for (const child of living) child.kill("SIGKILL") }
    else for (const provider of providers) if (provider.status === "fulfilled") provider.value.stop()
    await Promise.all(closed)
  }
}
