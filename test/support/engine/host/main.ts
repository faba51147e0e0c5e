/**
 * The test engine as a program: `main.ts <up|replace|preview|refresh|destroy> <project folder>`. It runs the real
 * program against the real SDK, and drives the real dynamic host; only the engine between them is ours.
 */
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Deployment } from "./Deployment.ts"
import { listen } from "./Monitor.ts"
import { ProviderProcess } from "./ProviderProcess.ts"
import { State } from "./State.ts"
import type { Values } from "./Wire.ts"

const [verb = "", folder = ""] = process.argv.slice(2)
const PROJECT = "project"
const STACK = "test"
const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** The stack's configuration, as a test hands it over. */
const config = JSON.parse(process.env["PULUMI_CONFIG"] ?? "{}") as Values
const state = new State(join(folder, "state.json"), process.env["PULUMI_CONFIG_PASSPHRASE"] ?? "")

let provider: Promise<ProviderProcess> | undefined
let address = ""
const deployment = new Deployment({
  stack: STACK,
  project: PROJECT,
  preview: verb === "preview",
  replaced: verb === "replace" ? "dynamic/vps:Instance::web" : undefined,
  state,
  // Started with the first resource, once per phase.
  provider: () => provider ??= ProviderProcess.start(folder, address, PROJECT, config),
  say
})

/** Runs the user's program as the language host does; answers its exit code. */
const runProgram = (): Promise<number> => {
  const script = createRequire(join(folder, "package.json")).resolve("@pulumi/pulumi/cmd/run")
  const flags = ["--monitor", address, "--engine", address, "--project", PROJECT, "--stack", STACK]
  const dryRun = verb === "preview" ? ["--dry-run"] : []
  const args = [script, ...flags, ...dryRun, "--parallel", "8", "--pwd", folder, "./index.js"]
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, PULUMI_NODEJS_TYPESCRIPT: "false" },
    stdio: ["ignore", "pipe", "pipe"]
  })
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => say(`program: ${line}`))
  }
  return new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)))
}

const run = async (): Promise<void> => {
  if (verb === "refresh") return await deployment.refresh()
  if (verb === "destroy") return await deployment.destroy()
  for (const { type, urn } of state.pending) say(`warning: ${urn} was interrupted while ${type}`)
  const code = await runProgram()
  if (code !== 0) throw new Error(`the program ended with ${code}`)
  await deployment.sweep()
}

const server = await listen((registration) => deployment.register(registration))
address = server.address
const code = await run().then(() => 0, (error: unknown) => {
  say(`error: ${(error as Error).message}`)
  return 1
})
say(`summary: ${JSON.stringify(deployment.summary)}`)
if (provider !== undefined) await provider.then((one) => one.stop(), () => undefined)
server.close()
process.exit(code)
