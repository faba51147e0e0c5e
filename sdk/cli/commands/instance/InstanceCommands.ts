/** `vps instance`: lists and shows instances, and controls their power. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { callAndPrint, command } from "../../Command.ts"
import { runAction } from "../../shared/Action.ts"
import * as Arguments from "../../shared/Arguments.ts"
import { create } from "./CreateCommand.ts"
import { metrics } from "./MetricsCommand.ts"
import { reinstall, resetPassword, resize } from "./RebuildCommands.ts"
import { ssh } from "./SshCommand.ts"
import { tasks } from "./TasksCommand.ts"
import { availablePlans, instance as instanceView, instances, liveStatus } from "../../shared/Views.ts"
import { wait } from "./WaitCommand.ts"

const id = Arguments.instance

const list = command("list", {}, () => callAndPrint((client) => client.instances.list(), instances)).pipe(
  Command.withDescription("List the account's instances"),
  Command.withExamples([
    { command: "vps instance list" },
    { command: "vps instance list -o json | jq -r '.[].ipv4'", description: "All IPv4 addresses" }
  ])
)

const get = command("get", { id }, ({ id }) => callAndPrint((client) => client.instances.get(id), instanceView)).pipe(
  Command.withDescription("Show an instance"),
  Command.withExamples([{ command: "vps instance get 7" }])
)

const status = command("status", { id }, ({ id }) => callAndPrint((client) => client.monitoring.status(id), liveStatus))
  .pipe(
    Command.withShortDescription("Show the live status of an instance"),
    Command.withDescription("Show the live status of an instance: power, boot mode, current task, and usage."),
    Command.withExamples([{ command: "vps instance status 7" }])
  )

const plans = command(
  "plans",
  { id },
  ({ id }) => callAndPrint((client) => client.monitoring.availablePlans(id), availablePlans)
)
  .pipe(
    Command.withShortDescription("List the plans an instance can be resized to"),
    Command.withDescription("List the plans an instance can be resized to, with the charge for each."),
    Command.withExamples([{ command: "vps instance plans 7" }])
  )

const power = (name: "start" | "stop" | "restart", description: string) =>
  command(
    name,
    { id, ...Arguments.waits },
    ({ id, ...waits }) => runAction({ id, request: (client) => client.power[name](id), ...waits })
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([{ command: `vps instance ${name} 7 --wait` }])
  )

const start = power("start", "Start an instance")
const stop = power("stop", "Stop an instance; its disk is retained and it is still billed")
const restart = power("restart", "Restart an instance, or start it if it is stopped")

const setHostname = command("set-hostname", {
  id,
  hostname: Argument.String("hostname").pipe(Argument.withDescription("New hostname, like web.example.com")),
  ...Arguments.waits
}, ({ hostname, id, ...waits }) =>
  runAction({
    id,
    request: (client) => client.instances.hostname(id, { hostname }),
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
    ssh
  ])
)
