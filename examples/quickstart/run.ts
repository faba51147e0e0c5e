/**
 * `npm run quickstart`: the whole way once, on this machine, with play money. Starts the service as an emulator, runs
 * the example beside this file with `pulumi preview`, `up`, `up` again and `destroy`, and shows what was charged.
 * Where no `pulumi` command can be had, the automation script does the same job.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { cleanEnvironment, run, stopAll } from "./runner/Children.ts"
import { findCli } from "./runner/Cli.ts"
import { makeProject, type Project } from "./runner/Project.ts"
import { listMachines, readAccount, type Ready, startService, tellAccount } from "./runner/Service.ts"
import { makeSteps, Sorry, tell } from "./runner/Show.ts"

const parent = mkdtempSync(join(tmpdir(), "pulumi-vps-quickstart-"))

/** What must hold, or the quickstart has shown something that isn't true. */
const expect = (holds: boolean, promise: string): void => {
  if (!holds) throw new Sorry(`This should hold and doesn't: ${promise}.`)
}

const oneCharge = async (ready: Ready): Promise<void> => {
  const account = await readAccount(ready)
  tellAccount(account)
  expect(account.charges.length === 1, "one server was charged, once")
}

const begin = async (project: Project): Promise<Ready> => {
  const ready = await startService(project, parent)
  tell(`vps-service listens at ${ready.url}; its data is one SQLite file.`)
  tellAccount(await readAccount(ready))
  return ready
}

/** The state is a folder here, and nothing is read from or written to the user's own Pulumi. */
const pulumiEnvironment = (ready: Ready, cliFolder: string) => {
  const backend = join(parent, "state")
  mkdirSync(backend)
  return {
    ...cleanEnvironment(),
    PATH: [dirname(process.execPath), cliFolder, process.env["PATH"]].join(delimiter),
    PULUMI_HOME: join(parent, "home"),
    // What Pulumi and Node leave in the temporary folder, above all when they are interrupted, goes with ours.
    TMPDIR: parent,
    NODE_COMPILE_CACHE: join(parent, "cache"),
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_CONFIG_PASSPHRASE: "quickstart",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    VPS_BASE_URL: ready.url,
    VPS_API_KEY: ready.api_key
  }
}

/** The way of an infrastructure repository. */
const withPulumi = async (project: Project, cliFolder: string): Promise<void> => {
  const { step, total } = makeSteps(6)
  const ready = await step("Start the service (emulator: simulated servers, play money)", () => begin(project))
  const env = pulumiEnvironment(ready, cliFolder)
  const pulumi = (args: string, options = {}) =>
    run({ file: "pulumi", args: [...args.split(" "), "--non-interactive"], cwd: project.folder, env }, options)
  const color = `--color ${process.stdout.isTTY && process.env["NO_COLOR"] === undefined ? "always" : "never"}`

  await step("pulumi preview: what would happen, and what it would cost", async () => {
    await pulumi("stack init quickstart", { quiet: true })
    await pulumi(`preview --suppress-progress ${color}`)
    expect((await readAccount(ready)).charges.length === 0, "a preview buys nothing")
  })
  await step(
    "pulumi up: buy the server, wait until it is deployed, set hostname and PTR",
    () => pulumi(`up --yes --skip-preview --suppress-progress ${color}`)
  )
  await step("What was charged", () => oneCharge(ready))
  await step("pulumi up again: nothing to do, nothing charged", async () => {
    await pulumi(`up --yes --skip-preview --suppress-progress --expect-no-changes ${color}`)
    await oneCharge(ready)
  })
  await step("pulumi destroy with deletionPolicy \"stop\": power off and let go", async () => {
    await pulumi(`destroy --yes --skip-preview --suppress-progress ${color}`)
    const machines = await listMachines(ready)
    for (const { id, status } of machines) {
      tell(`The service says: server ${id} is ${status}; it is paid for until it expires.`)
    }
    expect(machines.length === 1 && machines[0]?.status === "stopped", "the server is stopped")
  })
  console.log(`\nDone in ${total()}. The program that ran is examples/quickstart/index.ts.`)
}

/** The way of a script that uses the SDK directly. */
const withScript = async (project: Project): Promise<void> => {
  const { step, total } = makeSteps(3)
  const ready = await step("Start the service (emulator: simulated servers, play money)", () => begin(project))
  const env = { ...cleanEnvironment(), VPS_BASE_URL: ready.url, VPS_API_KEY: ready.api_key }
  const script = () => run({ file: process.execPath, args: [project.automationScript], cwd: project.folder, env })
  await step("Run the script: buy the server, wait until it is deployed, set hostname and PTR", async () => {
    await script()
    await oneCharge(ready)
  })
  await step("Run it again: the same server, nothing charged", async () => {
    await script()
    await oneCharge(ready)
  })
  console.log(`\nDone in ${total()}. The script that ran is examples/automation-script/index.ts.`)
}

const main = async (): Promise<void> => {
  const project = makeProject(parent)
  const cli = await findCli(parent)
  if ("reason" in cli) {
    console.log(`The pulumi command can't be had (${cli.reason}), so the automation script shows the same job.`)
    return withScript(project)
  }
  console.log(`With pulumi ${cli.version} from ${cli.folder}.`)
  return withPulumi(project, cli.folder)
}

const cleanUp = async (): Promise<void> => {
  await stopAll()
  rmSync(parent, { recursive: true, force: true })
}
let interrupted = false
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    interrupted = true
    console.log(`\nInterrupted (${signal}): ending what was started.`)
    // 128 + 2, as shells report an interrupted program.
    void cleanUp().finally(() => process.exit(130))
  })
}

try {
  await main()
} catch (error) {
  // What failed because it was interrupted is no news.
  if (!interrupted) console.error(error instanceof Sorry ? `\n${error.message}` : error)
  process.exitCode = 1
} finally {
  await cleanUp()
}
