/**
 * A script that runs Pulumi with the plugin: preview, up, outputs, destroy. It does not need a `Pulumi.yaml`, but the
 * `pulumi` command on PATH.
 *
 * Shows: the path of the plugin, an explicit provider with its own API key, and the charge as an output.
 *
 *   PULUMI_BACKEND_URL=file://$HOME/states PULUMI_CONFIG_PASSPHRASE=... \
 *   VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... node index.ts [up | destroy] [stack]
 */
import { secret } from "@pulumi/pulumi"
import { type InlineProgramArgs, LocalWorkspace, type LocalWorkspaceOptions } from "@pulumi/pulumi/automation/index.js"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as vps from "pulumi-vps/pulumi"

const [verb = "up", stackName = "production"] = process.argv.slice(2)

/** The `plugin` folder of the package. */
const plugin = join(dirname(fileURLToPath(import.meta.resolve("pulumi-vps/package.json"))), "plugin")

const program = async () => {
  const apiKey = process.env["VPS_API_KEY"]
  const account = new vps.Provider("account", apiKey === undefined ? {} : { apiKey: secret(apiKey) })
  const web = new vps.Instance(
    "web",
    { serviceId: 1, hostname: "web.example.com", maxCharge: 10, deletionPolicy: "stop" },
    { provider: account }
  )
  return { address: web.ipv4, charge: web.chargeAmount }
}

const project: InlineProgramArgs = { stackName, projectName: "automation-plugin", program }
/** The types of the Automation API lack `plugins`; the engine supports it. */
const settings = {
  name: project.projectName,
  runtime: "nodejs",
  plugins: { providers: [{ name: "vps", path: plugin }] }
} as LocalWorkspaceOptions["projectSettings"]

const stack = await LocalWorkspace.createOrSelectStack(project, { ...(settings && { projectSettings: settings }) })
const onOutput = (line: string): void => void process.stdout.write(line)

if (verb === "destroy") {
  await stack.destroy({ onOutput })
} else {
  await stack.preview({ onOutput })
  const { outputs } = await stack.up({ onOutput })
  console.log(`The instance is at ${outputs["address"]?.value}. The charge was ${outputs["charge"]?.value}.`)
}
