/** `vps instance`: lists and shows instances, and controls their power. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { call, callAndPrint, command } from "../../Command.ts"
import { runAction, runOnEach } from "../../shared/Action.ts"
import * as Effect from "effect/Effect"
import * as Arguments from "../../shared/Arguments.ts"
import { instanceCommand } from "../../shared/InstanceCommand.ts"
import { printInstance } from "../../shared/Currency.ts"
import { create } from "./CreateCommand.ts"
import { deleteInstance } from "./DeleteCommand.ts"
import { metrics } from "./MetricsCommand.ts"
import { reinstall, resetPassword, resize } from "./RebuildCommands.ts"
import { ssh } from "./SshCommand.ts"
import { tasks } from "./TasksCommand.ts"
import { availablePlans, instances, liveStatus } from "../../shared/Views.ts"
import { selection } from "../../shared/Selection.ts"
import { wait } from "./WaitCommand.ts"

const list = command(
  "list",
  instances.flags,
  (flags) => instances.print(call((client) => client.instances.list()), flags)
).pipe(
  Command.withDescription("List the account's instances"),
  Command.withExamples([
    { command: "vps instance list --filter status=running --sort expires" },
    { command: "vps instance list --columns hostname,ipv6 --no-header", description: "For a script" },
    { command: "vps instance list -o json | jq -r '.[].ipv4'", description: "All IPv4 addresses" }
  ])
)

const get = instanceCommand(
  "get",
  {},
  ({ id }) => Effect.flatMap(call((client) => client.instances.get(id)), printInstance)
)
  .pipe(
    Command.withDescription("Show an instance"),
    Command.withExamples([{ command: "vps instance get 7" }])
  )

const status = instanceCommand(
  "status",
  {},
  ({ id }) => callAndPrint((client) => client.monitoring.status(id), liveStatus)
)
  .pipe(
    Command.withShortDescription("Show the live status of an instance"),
    Command.withDescription("Show the live status of an instance: power, boot mode, current task, and usage."),
    Command.withExamples([{ command: "vps instance status 7" }])
  )

const plans = instanceCommand(
  "plans",
  availablePlans.flags,
  ({ id, ...flags }) => availablePlans.print(call((client) => client.monitoring.availablePlans(id)), flags)
)
  .pipe(
    Command.withShortDescription("List the plans an instance can be resized to"),
    Command.withDescription("List the plans an instance can be resized to, with the charge for each."),
    Command.withExamples([{ command: "vps instance plans 7" }])
  )

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const power = (name: "start" | "stop" | "restart", description: string) =>
  command(
    name,
    { ...selection, ...Arguments.waits },
    (wanted) => runOnEach(capitalize(name), wanted, { request: (client, id) => client.power[name](id) })
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([
      { command: `vps instance ${name} web.example.com --wait` },
      { command: `vps instance ${name} 7 8 9 --wait` },
      { command: `vps instance ${name} --filter "hostname=*.staging.example.com" --yes` }
    ])
  )

const start = power("start", "Start instances")
const stop = power("stop", "Stop instances; their disks are retained, and they are still billed")
const restart = power("restart", "Restart instances, and start those that are stopped")

const setHostname = instanceCommand("set-hostname", {
  hostname: Argument.String("hostname").pipe(Argument.withDescription("New hostname, like web.example.com")),
  ...Arguments.waits
}, ({ hostname, id, ...waits }) =>
  runAction({
    id,
    request: (client) => client.instances.hostname(id, { hostname }),
    isImmediate: true,
    detail: (result) => `Its hostname is ${result.hostname}.`,
    ...waits
  })).pipe(
    Command.withDescription("Change an instance's hostname"),
    Command.withExamples([{ command: "vps instance set-hostname 7 web.example.com" }])
  )

export const instance = Command.make("instance").pipe(
  Command.withDescription("Buy, list, and manage instances"),
  Command.withSubcommands([
    list,
    get,
    create,
    start,
    stop,
    restart,
    reinstall,
    resetPassword,
    setHostname,
    resize,
    plans,
    status,
    metrics,
    tasks,
    wait,
    ssh,
    deleteInstance
  ])
)
