/** A stack on the real `tofu` or `terraform`, or on the test engine, with the state in the project's folder. */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Words } from "#provider/HostWords"
import { wordsOf } from "#provider/terraform-host/TerraformWords"
import { developmentConfiguration } from "#sdk/cli/commands/TerraformCommand"
import { findProvider } from "#sdk/cli/terraform/ProviderMirror"
import { ROOT } from "../../support/consumer.ts"
import { launch, type Launched } from "../Processes.ts"
import {
  type Exported,
  type Result,
  type RunOptions,
  type Stack,
  type StateResource,
  urnOf,
  type Verb
} from "../Stack.ts"
import { configurationOf, NAMES } from "./Configuration.ts"

/** The programs with which the provider is tested. */
export const COMMANDS = ["tofu", "terraform"] as const

/** Is it on PATH? */
export const hasCommand = (command: string): boolean =>
  spawnSync(command, ["version"], { stdio: "ignore" }).status === 0

const ADDRESS = "registry.opentofu.org/pulumi-vps/vps"

const QUIET = ["-input=false", "-no-color"]
const FLAGS: Record<Verb, ReadonlyArray<string>> = {
  up: ["apply", "-auto-approve", ...QUIET],
  preview: ["plan", ...QUIET],
  refresh: ["apply", "-refresh-only", "-auto-approve", ...QUIET],
  destroy: ["destroy", "-auto-approve", ...QUIET]
}

/** "vps_instance.web" of the URN that the scenarios use. */
const addressOf = (urn: string): string => {
  const [type = "", name = ""] = urn.slice(urn.lastIndexOf("vps:") + 4).split("::")
  return `${Object.entries(NAMES).find(([, one]) => one === type)?.[0] ?? ""}.${name}`
}

const flagsOf = ({ parallel, replace = [] }: RunOptions): ReadonlyArray<string> => [
  ...replace.map((urn) => `-replace=${addressOf(urn)}`),
  ...parallel === undefined ? [] : [`-parallelism=${parallel}`]
]

const camel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

interface StoredInstance {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status?: "tainted"
  readonly deposed?: string
}
interface StoredResource {
  readonly mode: "managed" | "data"
  readonly type: string
  readonly name: string
  readonly instances: ReadonlyArray<StoredInstance>
}

/** The attributes that are set, by the names of the properties. */
const propertiesOf = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => value === null ? [] : [[camel(name), value] as const])
  )

const exported = (resources: ReadonlyArray<StoredResource>): Exported => ({
  resources: resources.filter(({ mode }) => mode === "managed").flatMap(({ instances, name, type }) =>
    instances.map(({ attributes, deposed, status }): StateResource => ({
      urn: urnOf(`vps:${NAMES[type]}`, name),
      type: `pulumi-nodejs:dynamic/vps:${NAMES[type]}`,
      id: String(attributes["id"]),
      inputs: propertiesOf(attributes),
      outputs: propertiesOf(attributes),
      initErrors: status === undefined ? [] : [status],
      delete: deposed !== undefined
    }))
  ),
  pending: []
})

/** The variables of Pulumi's hosts, as this one names them. */
const renamed = ({ VPS_MAX_CHARGE_PER_UPDATE: limit, ...rest }: Readonly<Record<string, string>>) => ({
  ...rest,
  ...(limit === undefined ? {} : { VPS_MAX_CHARGE_PER_APPLY: limit })
})

/**
 * The engine breaks the lines of messages, prints the place of each after its first sentence, and warns of the folder
 * that it takes the provider from.
 */
const unwrap = ({ code, output }: Result): Result => ({
  code,
  output: output.replaceAll(/\n?Warning: Provider development overrides[^]*?published\s*releases\.\n/g, "")
    .replaceAll(/\.?\n\n {2}(?:with|on) [^]*?\n\n/g, ". ").replaceAll(/(?<=\S)\n(?=[a-zA-Z0-9("'`])/g, " ")
})

const unwrapped = (launched: Launched): Launched => ({
  ...launched,
  done: launched.done.then(unwrap),
  kill: () => launched.kill().then(unwrap),
  killEngine: () => launched.killEngine().then(unwrap),
  killProvider: () => launched.killProvider().then(unwrap)
})

/** The file and the first arguments of a command. */
export type Program = readonly [file: string, ...args: ReadonlyArray<string>]

export class TerraformStack implements Stack {
  readonly folder: string
  readonly words: Words
  readonly #program: Program
  /** The configuration and the state are in a folder of their own, which is saved and restored as a whole. */
  readonly #project: string
  #environment: Readonly<Record<string, string>>

  constructor(program: Program, variables: Readonly<Record<string, string>>) {
    this.#program = program
    this.words = wordsOf(program.at(-1) === "terraform" ? "terraform" : "tofu")
    this.folder = mkdtempSync(join(tmpdir(), "vps-terraform-"))
    this.#project = join(this.folder, "project")
    mkdirSync(this.#project)
    writeFileSync(join(this.folder, "rc"), developmentConfiguration(findProvider()))
    this.#environment = { VPS_IDEMPOTENCY_SCOPE: "test", ...renamed(variables) }
  }

  command(args: ReadonlyArray<string>): Launched {
    const { NODE_OPTIONS: _, PATH = "", ...own } = process.env as Record<string, string>
    const env = {
      ...own,
      PATH: `${join(ROOT, "node_modules/.bin")}:${PATH}`,
      TF_CLI_CONFIG_FILE: join(this.folder, "rc"),
      CHECKPOINT_DISABLE: "1",
      NODE_NO_WARNINGS: "1",
      ...this.#environment
    }
    const [file, ...first] = this.#program
    return launch({ file, args: [...first, ...args], cwd: this.#project, env })
  }

  /** Writes a file of the configuration itself. */
  write(text: string, name = "main.tf"): void {
    writeFileSync(join(this.#project, name), text)
  }

  readonly program = (source: string): void => this.write(configurationOf(source, ADDRESS), "main.tf.json")

  readonly environment = (more: Readonly<Record<string, string>>): void => {
    this.#environment = { ...this.#environment, ...renamed(more) }
  }

  readonly configure = (): Promise<void> => Promise.reject(new Error("the settings are in the provider block"))

  readonly start = (verb: Verb, options: RunOptions = {}): Launched =>
    unwrapped(this.command([...FLAGS[verb], ...flagsOf(options)]))

  readonly run = (verb: Verb, options?: RunOptions): Promise<Result> => this.start(verb, options).done

  readonly unchanged = ({ output }: Result): boolean => /: 0 added, 0 changed, 0 destroyed/.test(output)

  /** The system releases the lock of a process that was killed. */
  readonly cancel = (): Promise<void> => Promise.resolve()

  readonly exportState = (): Promise<Exported> => {
    const path = join(this.#project, "terraform.tfstate")
    const text = existsSync(path) ? readFileSync(path, "utf8") : ""
    const { resources } = (text === "" ? { resources: [] } : JSON.parse(text)) as {
      resources: ReadonlyArray<StoredResource>
    }
    return Promise.resolve(exported(resources))
  }

  readonly importState = (): Promise<void> => Promise.reject(new Error("there is no state of an earlier version"))

  readonly save = (): () => void => {
    const copy = mkdtempSync(join(this.folder, "saved-"))
    cpSync(this.#project, copy, { recursive: true })
    return () => {
      for (const name of readdirSync(this.#project)) rmSync(join(this.#project, name), { recursive: true })
      cpSync(copy, this.#project, { recursive: true })
    }
  }

  /** Without the configuration, which is the program. */
  readonly stored = (): string =>
    readdirSync(this.#project, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.includes("tfstate"))
      .map(({ name, parentPath }) => readFileSync(join(parentPath, name), "utf8")).join("\n")

  readonly dispose = (): Promise<void> => Promise.resolve(rmSync(this.folder, { recursive: true, force: true }))
}

export const terraformCli =
  (...program: Program) => (variables: Readonly<Record<string, string>>): Promise<TerraformStack> =>
    Promise.resolve(new TerraformStack(program, variables))
