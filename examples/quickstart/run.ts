/**
 * `npm run quickstart`: a complete run on this computer with play money. Starts the service as an emulator, runs the
 * example in this folder with `pulumi preview`, `up`, `up` again, and `destroy`, and shows the charges. Without a
 * `pulumi` command, the automation script does the same job.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { cleanEnvironment, run, stopAll } from "./runner/Processes.ts"
import { findPulumi } from "./runner/PulumiCommand.ts"
import { makeProject, type Project } from "./runner/Project.ts"
import { type Endpoint, listInstances, printAccount, readAccount, startService } from "./runner/Service.ts"
import { makeSteps, print, QuickstartError } from "./runner/Output.ts"

const parent = mkdtempSync(join(tmpdir(), "pulumi-vps-quickstart-"))

/** Fails the quickstart if one of its claims is wrong. */
const expect = (holds: boolean, claim: string): void => {
  if (!holds) throw new QuickstartError(`Expectation failed: ${claim}.`)
}

const oneCharge = async (endpoint: Endpoint): Promise<void> => {
  const account = await readAccount(endpoint)
  printAccount(account)
  expect(account.charges.length === 1, "one instance was charged once")
}

const startEmulator = async (project: Project): Promise<Endpoint> => {
  const endpoint = await startService(project, parent)
  print(`vps-service listens at ${endpoint.url}. Its data is one SQLite file.`)
  printAccount(await readAccount(endpoint))
  return endpoint
}

/** The state is a temporary folder. The user's own Pulumi settings and stacks are neither read nor changed. */
const pulumiEnvironment = (endpoint: Endpoint, cliFolder: string) => {
  const backend = join(parent, "state")
  mkdirSync(backend)
  return {
    ...cleanEnvironment(),
    PATH: [dirname(process.execPath), cliFolder, process.env["PATH"]].join(delimiter),
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
  const endpoint = await step(
    "Start the service (emulator: simulated instances, play money)",
    () => startEmulator(project)
  )
  const env = pulumiEnvironment(endpoint, cliFolder)
  const pulumi = (args: string, options = {}) =>
    run({ file: "pulumi", args: [...args.split(" "), "--non-interactive"], cwd: project.folder, env }, options)
  const color = `--color ${process.stdout.isTTY && process.env["NO_COLOR"] === undefined ? "always" : "never"}`

  await step("pulumi preview: the changes and their charge", async () => {
    await pulumi("stack init quickstart", { quiet: true })
    await pulumi(`preview --suppress-progress ${color}`)
    expect((await readAccount(endpoint)).charges.length === 0, "a preview buys nothing")
  })
  await step(
    "pulumi up: buy the instance, wait until it is running, set hostname and PTR",
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
  console.log(`\nDone in ${total()}. The program is examples/quickstart/index.ts.`)
}

/** The workflow of a script that uses the SDK. */
const withScript = async (project: Project): Promise<void> => {
  const { step, total } = makeSteps(3)
  const endpoint = await step(
    "Start the service (emulator: simulated instances, play money)",
    () => startEmulator(project)
  )
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
}

const main = async (): Promise<void> => {
  const project = makeProject(parent)
  const pulumi = await findPulumi(parent)
  if ("reason" in pulumi) {
    console.log(`The pulumi command is not available: ${pulumi.reason}. Running the automation script instead.`)
    return withScript(project)
  }
  console.log(`Using pulumi ${pulumi.version} from ${pulumi.folder}.`)
  return withPulumi(project, pulumi.folder)
}

const cleanUp = async (): Promise<void> => {
  await stopAll()
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
