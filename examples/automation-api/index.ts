/**
 * A script that runs Pulumi: preview, up, outputs, and a search for instances in no stack. It does not need a
 * `Pulumi.yaml`, but the `pulumi` command on PATH.
 *
 * Shows: a program as a function (the Automation API), the charge in the preview before anything is bought, stack
 * outputs as values, and `findOrphans` with the exported state.
 *
 *   PULUMI_BACKEND_URL=file://$HOME/states PULUMI_CONFIG_PASSPHRASE=... \
 *   VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... node index.ts [up | destroy] [stack]
 */
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js"
import { Vps } from "@pulumi-vps/sdk"
import { costSummary, describeOrphans, findOrphans, readState, VpsServer } from "pulumi-vps/provider"

const [verb = "up", stackName = "production"] = process.argv.slice(2)

// The engine starts the provider in the current folder and loads the package from its node_modules.
process.chdir(import.meta.dirname)

const program = async () => {
  const web = new VpsServer("web", {
    serviceId: 1,
    hostname: "web.example.com",
    firstSnapshot: "as-installed",
    maxCharge: 10,
    deletionPolicy: "stop"
  })
  return { address: web.ipv4, cost: costSummary([web]) }
}

const stack = await LocalWorkspace.createOrSelectStack({ stackName, projectName: "automation-api", program })
const onOutput = (line: string): void => void process.stdout.write(line)

if (verb === "destroy") {
  await stack.destroy({ onOutput })
} else {
  // Shows the charge. The preview fails, and ends the script, if the wallet does not cover it.
  await stack.preview({ onOutput })
  const { outputs } = await stack.up({ onOutput })
  console.log(`The instance is at ${outputs["address"]?.value}.`)
}

// Lists instances you pay for that are in no stack. Pass the states of all your stacks.
const vps = new Vps()
const state = readState(stackName, JSON.stringify(await stack.exportStack()))
console.log(describeOrphans(findOrphans([state], await vps.instances.list(), await vps.account.whoami())))
