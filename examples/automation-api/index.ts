/**
 * A script that runs Pulumi: preview, up, outputs, and a look for servers that no stack knows. No `Pulumi.yaml`, no
 * second terminal; it needs the `pulumi` command on PATH.
 *
 * Shows: a program as a function (the Automation API), the preview's cost lines before anything is bought, the stack's
 * outputs as values, and `findOrphans` on the exported state.
 *
 *   PULUMI_BACKEND_URL=file://$HOME/states PULUMI_CONFIG_PASSPHRASE=... \
 *   VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... node index.ts [up | destroy] [stack]
 */
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js"
import { Vps } from "pulumi-vps"
import { costSummary, describeOrphans, findOrphans, readState, VpsServer } from "pulumi-vps/provider"

const [verb = "up", stackName = "production"] = process.argv.slice(2)

// The engine starts the provider in the current folder, and finds the package in its node_modules.
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
  // What it will charge, and whether the wallet covers it; a preview that fails ends the script here.
  await stack.preview({ onOutput })
  const { outputs } = await stack.up({ onOutput })
  console.log(`The server is at ${outputs["address"]?.value}.`)
}

// What is paid for and stands in no stack: here only one is compared; give all of yours.
await using vps = new Vps()
const state = readState(stackName, JSON.stringify(await stack.exportStack()))
console.log(describeOrphans(findOrphans([state], await vps.instances.list(), await vps.account.whoami())))
