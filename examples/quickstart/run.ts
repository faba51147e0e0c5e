/**
 * `npm run quickstart`: a complete run on this computer with play money. Starts the service as an emulator, runs the
 * example in this folder with `pulumi preview`, `up`, `up` again, and `destroy`, and shows the charges. Without a
 * `pulumi` command, the automation script does the same job. With `--keep`, the service runs until Ctrl-C, so that you
 * can look around in its panel.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { cleanEnvironment, run, stopAll } from "./runner/Processes.ts"
import { findPulumi } from "./runner/PulumiCommand.ts"
import { makeProject, type Project } from "./runner/Project.ts"
import { type Endpoint, listInstances, printAccount, startService } from "./runner/Service.ts"
import { assertReal, startRealService, stopHost } from "./runner/RealService.ts"
import { makeSteps, print, QuickstartError } from "./runner/Output.ts"

const parent = mkdtempSync(join(tmpdir(), "pulumi-vps-quickstart-"))

/** Fails the quickstart if one of its claims is wrong. */
const expect = (holds: boolean, claim: string): void => {
  if (!holds) throw new QuickstartError(`Expectation failed: ${claim}.`)
}

const oneCharge = async (endpoint: Endpoint): Promise<void> => {
  const account = await endpoint.account()
  printAccount(account)
  expect(account.charges.length === 1, "one instance was charged once")
}

/** A timer keeps the process alive; it has nothing to do. */
const HOUR_MILLIS = 3_600_000

/** `--real`: the same on libvirt, with a guest of 20 MB. */
const isReal = process.argv.includes("--real")

const START = isReal
  ? "Start a libvirt host in namespaces, and the service (a real instance, play money)"
  : "Start the service (emulator: simulated instances, play money)"

const start = async (project: Project): Promise<Endpoint> => {
  const endpoint = await (isReal ? startRealService : startService)(project, parent)
  print(`vps-service listens at ${endpoint.url}. Its data is one SQLite file.`)
  printAccount(await endpoint.account())
  if (endpoint.signIn !== undefined) print(`The panel signs you in as the customer, once: ${endpoint.signIn}`)
  return endpoint
}

const keep = async (): Promise<void> => {
  if (!process.argv.includes("--keep")) return
  console.log("The service and its panel keep running. Stop them with Ctrl-C.")
  await new Promise(() => setInterval(() => undefined, HOUR_MILLIS))
}

/** Root's public key of the instance; a simulated one has nowhere to log in. */
const SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINGlrJoBX6wu97NBZzY1USoVEfQf430RGyZ/A57sXU9Y quickstart\n"

/** The program reads a key in the home of its user, who need not have one. */
const makeHome = (): string => {
  mkdirSync(join(parent, ".ssh"))
  writeFileSync(join(parent, ".ssh/id_ed25519.pub"), SSH_KEY)
  return parent
}

/** The state is a temporary folder. The user's own Pulumi settings and stacks are neither read nor changed. */
const pulumiEnvironment = (endpoint: Endpoint, cliFolder: string) => {
  const backend = join(parent, "state")
  mkdirSync(backend)
  return {
    ...cleanEnvironment(),
    PATH: [dirname(process.execPath), cliFolder, process.env["PATH"]].join(delimiter),
    HOME: makeHome(),
    PULUMI_HOME: join(parent, "home"),
    // Temporary files of Pulumi and Node are removed with this folder, even after an interruption.
    TMPDIR: parent,
    NODE_COMPILE_CACHE: join(parent, "cache"),
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_CONFIG_PASSPHRASE: "quickstart",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    VPS_BASE_URL: endpoint.url,
    VPS_API_KEY: endpoint.api_key
  }
}

/** The workflow of an infrastructure repository. */
const withPulumi = async (project: Project, cliFolder: string): Promise<void> => {
  const { step, total } = makeSteps(6)
  const endpoint = await step(START, () => start(project))
  const env = pulumiEnvironment(endpoint, cliFolder)
  const pulumi = (args: string, options = {}) =>
    run({ file: "pulumi", args: [...args.split(" "), "--non-interactive"], cwd: project.folder, env }, options)
  const color = `--color ${process.stdout.isTTY && process.env["NO_COLOR"] === undefined ? "always" : "never"}`

  await step("pulumi preview: the changes and their charge", async () => {
    await pulumi("stack init quickstart", { quiet: true })
    await pulumi(`preview --suppress-progress ${color}`)
    expect((await endpoint.account()).charges.length === 0, "a preview buys nothing")
  })
  await step(
    `pulumi up: buy the instance, wait until it is running, set ${isReal ? "the hostname" : "hostname and PTR"}`,
    () => pulumi(`up --yes --skip-preview --suppress-progress ${color}`)
  )
  await step("The charges", () => oneCharge(endpoint))
  await step("pulumi up again: no changes, no charge", async () => {
    await pulumi(`up --yes --skip-preview --suppress-progress --expect-no-changes ${color}`)
    await oneCharge(endpoint)
  })
  await step("pulumi destroy with deletionPolicy \"stop\": stop the instance", async () => {
    await pulumi(`destroy --yes --skip-preview --suppress-progress ${color}`)
    const instances = await listInstances(endpoint)
    for (const { id, status } of instances) {
      print(`Instance ${id} is ${status}. It is paid for until it expires.`)
    }
    expect(instances.length === 1 && instances[0]?.status === "stopped", "the instance is stopped")
  })
  console.log(`\nDone in ${total()}. The program is examples/quickstart/${isReal ? "real" : "index"}.ts.`)
  await keep()
}

/** The workflow of a script that uses the SDK. */
const withScript = async (project: Project): Promise<void> => {
  const { step, total } = makeSteps(3)
  const endpoint = await step(START, () => start(project))
  const env = { ...cleanEnvironment(), VPS_BASE_URL: endpoint.url, VPS_API_KEY: endpoint.api_key }
  const script = () => run({ file: process.execPath, args: [project.automationScript], cwd: project.folder, env })
  await step("Run the script: buy the instance, wait until it is running, set hostname and PTR", async () => {
    await script()
    await oneCharge(endpoint)
  })
  await step("Run it again: the same instance, no charge", async () => {
    await script()
    await oneCharge(endpoint)
  })
  console.log(`\nDone in ${total()}. The script is examples/automation-script/index.ts.`)
  await keep()
}

const main = async (): Promise<void> => {
  if (isReal) await assertReal()
  const project = makeProject(parent, isReal ? "real.ts" : "index.ts")
  const pulumi = await findPulumi(parent)
  if ("reason" in pulumi && isReal) throw new QuickstartError(`--real needs the pulumi command: ${pulumi.reason}.`)
  if ("reason" in pulumi) {
    console.log(`The pulumi command is not available: ${pulumi.reason}. Running the automation script instead.`)
    return withScript(project)
  }
  console.log(`Using pulumi ${pulumi.version} from ${pulumi.folder}.`)
  return withPulumi(project, pulumi.folder)
}

const cleanUp = async (): Promise<void> => {
  await stopAll()
  stopHost()
  rmSync(parent, { recursive: true, force: true })
}
let interrupted = false
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    interrupted = true
    console.log(`\nInterrupted (${signal}). Stopping all processes.`)
    // Shells report 128 + 2 for an interrupted program.
    void cleanUp().finally(() => process.exit(130))
  })
}

try {
  await main()
} catch (error) {
  // Failures caused by the interruption are not reported.
  if (!interrupted) console.error(error instanceof QuickstartError ? `\n${error.message}` : error)
  process.exitCode = 1
} finally {
  await cleanUp()
}
