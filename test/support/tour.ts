/**
 * The code blocks of a page, taken as its reader takes them: in an empty folder, in order, in one shell session with the
 * package as npm installs it. Every block is named by its heading, so that a test notices one that nothing runs.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert } from "vitest"
import { sshFingerprint } from "#provider/purchase/InstanceDetails"
import { SSH_KEY } from "../provider/Environment.ts"
import { readDocument } from "./documents.ts"
import { personAt, runCommands, withSshKey } from "./guide.ts"
import type { Registry } from "./registry.ts"
import type { ServiceProcess } from "./serviceProcess.ts"
import { control } from "./vps.ts"

type Blocks = ReadonlyMap<string, string>

/** The blocks of a page by their heading, with a number from the second one below the same heading. */
export const blocksOf = (document: string): Blocks => {
  const blocks = new Map<string, string>()
  let [heading, count] = ["", 0]
  for (const [, title, code] of readDocument(document).matchAll(/^#+ (.+)$|^```\w*\n([^]*?)^```$/gm)) {
    if (title !== undefined) [heading, count] = [title, 0]
    else blocks.set(++count === 1 ? heading : `${heading} (${count})`, code!)
  }
  return blocks
}

type Edit = (code: string) => string

/** What a reader does with a block, or on his own. */
export type Step =
  | { readonly kind: "run" | "printed"; readonly block: string; readonly edit: Edit }
  | { readonly kind: "file"; readonly block: string; readonly file: string; readonly edit: Edit }
  | { readonly kind: "own"; readonly commands: string }

const asWritten: Edit = (code) => code

/** Runs a block's commands; `edit` makes what a reader replaces or answers himself. */
export const run = (block: string, edit = asWritten): Step => ({ kind: "run", block, edit })

/** Writes a block to a file. */
export const write = (block: string, file: string, edit = asWritten): Step => ({ kind: "file", block, file, edit })

/** The commands before have printed every line of a block. */
export const printed = (block: string): Step => ({ kind: "printed", block, edit: asWritten })

/** Commands that the page names in its sentences. */
export const own = (commands: string): Step => ({ kind: "own", commands })

/** Starts a server as in a second terminal, on a free port, and waits for the first line that it prints. */
export const inBackground: Edit = (code) =>
  code.replace(
    /^(vps-service [^#\n]*).*$/m,
    "$1 --port 0 > ready.json 2> service.log &\necho $! > service.pid\n"
      + "until [ -s ready.json ]; do kill -0 $! || { cat service.log; exit 1; }; sleep 0.1; done"
  )

interface Place {
  /** An empty folder for everything. */
  readonly work: string
  readonly registry: Registry
  readonly service: ServiceProcess
}

export interface Taken {
  /** What all commands printed. */
  readonly text: string
  readonly project: string
}

/** The address and the key that a reader has instead of those of a page. */
const filled = (text: string, { apiKey, url }: ServiceProcess): string =>
  text.replaceAll(/https:\/\/\w+\.example(\.com)?\/api\/v1|http:\/\/127\.0\.0\.1:8787\/api\/v1/g, url)
    .replaceAll(/<api_key>|vps_live_\.\.\./g, apiKey)
    .replaceAll("<any text>", "'any text'")
    // The command keeps the state in the home of the system's user: HOME does not move it.
    .replace(/^pulumi login --local.*$/m, "pulumi login \"file://$HOME\"")

/** A reader with an SSH key on a new computer; instances of the emulator cannot be reached, so `ssh` only prints. */
const reader = ({ registry, service, work }: Place) => {
  const home = withSshKey(mkdtempSync(join(work, "reader-")))
  const project = join(home, "project")
  mkdirSync(project)
  mkdirSync(join(home, "bin"))
  writeFileSync(join(home, "bin/ssh"), "#!/bin/sh\necho \"ssh $*\"\n", { mode: 0o755 })
  const env = personAt(home, {
    npm_config_registry: registry.url,
    npm_config_prefix: home,
    npm_config_cache: join(work, "npm"),
    PULUMI_HOME: join(home, ".pulumi"),
    PULUMI_BACKEND_URL: `file://${home}`,
    PULUMI_CONFIG_PASSPHRASE: "a passphrase of the tests",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // The prompts that people confirm.
    PULUMI_SKIP_CONFIRMATIONS: "true",
    CHECKPOINT_DISABLE: "1",
    TF_CLI_ARGS: "-no-color",
    TF_CLI_ARGS_apply: "-auto-approve"
  })
  const path = `${join(home, "bin")}:${env["PATH"]}`
  const session = join(home, "session")
  writeFileSync(session, "")
  const shell = (commands: string): Promise<string> => {
    const script = `. ${session}\n${filled(commands, service)}\nexport -p > ${session}\n`
    return runCommands(project, { ...env, PATH: path }, script)
  }
  return { project, shell }
}

const stopServer = (project: string): void => {
  try {
    process.kill(Number(readFileSync(join(project, "service.pid"), "utf8")))
  } catch { // The tour started none, or it has ended.
  }
}

const words = (text: string): string => text.replaceAll(/[\s│╷╵]+/g, " ")

const assertPrinted = (text: string, block: string): void => {
  for (const line of block.trim().split("\n").filter((line) => line !== "")) {
    assert.include(words(text), words(line).trim())
  }
}

/** Takes the steps of a page; `variables` are exported first, such as the key of the service. */
export const take = async (
  document: string,
  steps: ReadonlyArray<Step>,
  place: Place,
  variables: Readonly<Record<string, string>>
): Promise<Taken> => {
  await control(place.service, "POST", "/reset")
  await control(place.service, "PUT", "/deploy", { mode: "instant" })
  const blocks = blocksOf(document)
  const { project, shell } = reader(place)
  await shell(Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`).join("\n"))
  let text = ""
  try {
    for (const step of steps) {
      if (step.kind === "own") text += await shell(step.commands)
      else {
        const code = blocks.get(step.block)
        if (code === undefined) throw new Error(`${document} has no block "${step.block}"`)
        if (step.kind === "printed") assertPrinted(text, code)
        else if (step.kind === "run") text += await shell(step.edit(code))
        else {
          const file = join(project, step.file)
          mkdirSync(dirname(file), { recursive: true })
          writeFileSync(file, step.edit(code))
        }
      }
    }
    return { text, project }
  } finally {
    stopServer(project)
    rmSync(join(project, "node_modules"), { recursive: true, force: true })
  }
}

interface Bought {
  readonly id: number
  readonly ipv4: string
  readonly order: { readonly config: string }
}

const instancesOf = async ({ apiKey, url }: ServiceProcess): Promise<ReadonlyArray<Bought>> => {
  const answer = await fetch(`${url}/instances`, { headers: { authorization: `Bearer ${apiKey}` } })
  return await answer.json() as ReadonlyArray<Bought>
}

/** Exactly this many instances were bought, and their reader can log in with his key; returns their addresses. */
export const assertBought = async (service: ServiceProcess, count: number): Promise<ReadonlyArray<string>> => {
  const instances = await instancesOf(service)
  const fingerprints = instances.map(({ order }) => JSON.parse(order.config)["ssh_key_fingerprint"] as unknown)
  assert.deepStrictEqual(fingerprints, Array.from({ length: count }, () => sshFingerprint(SSH_KEY)))
  return instances.map(({ ipv4 }) => ipv4)
}

/** One instance was bought with the reader's key, and the page's command logs in to it. */
export const assertEntered = async (service: ServiceProcess, text: string): Promise<void> => {
  const [address] = await assertBought(service, 1)
  assert.include(text, `ssh root@${address}`)
}
