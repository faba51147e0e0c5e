/** `vps instance`: the commands that look, and those that switch power. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { leaf, present } from "../Root.ts"
import { acted } from "./Act.ts"
import * as Arguments from "./Arguments.ts"
import { create } from "./CreateCommand.ts"
import { metrics } from "./MetricsCommand.ts"
import { reinstall, resetPassword, resize } from "./RebuildCommands.ts"
import { ssh } from "./SshCommand.ts"
import { tasks } from "./TasksCommand.ts"
import { availablePlans, instance as instanceView, instances, liveStatus } from "./Views.ts"
import { wait } from "./WaitCommand.ts"

const id = Arguments.instance

const list = leaf("list", {}, () => present((core) => core.instances.list(), instances)).pipe(
  Command.withDescription("List the account's instances"),
  Command.withExamples([
    { command: "vps instance list" },
    { command: "vps instance list -o json | jq -r '.[].ipv4'", description: "All addresses" }
  ])
)

const get = leaf("get", { id }, ({ id }) => present((core) => core.instances.get(id), instanceView)).pipe(
  Command.withDescription("Show one instance"),
  Command.withExamples([{ command: "vps instance get 7" }])
)

const status = leaf("status", { id }, ({ id }) => present((core) => core.monitoring.status(id), liveStatus)).pipe(
  Command.withShortDescription("Show what an instance does right now"),
  Command.withDescription("Show what an instance does right now: power, boot mode, open task, load."),
  Command.withExamples([{ command: "vps instance status 7" }])
)

const plans = leaf("plans", { id }, ({ id }) => present((core) => core.monitoring.availablePlans(id), availablePlans))
  .pipe(
    Command.withShortDescription("List the plans an instance can be resized to"),
    Command.withDescription("List the plans an instance can be resized to, with what that would charge now."),
    Command.withExamples([{ command: "vps instance plans 7" }])
  )

const power = (name: "start" | "stop" | "restart", description: string) =>
  leaf(
    name,
    { id, ...Arguments.waits },
    ({ id, ...waits }) => acted({ id, act: (core) => core.power[name](id), ...waits })
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([{ command: `vps instance ${name} 7 --wait` }])
  )

const start = power("start", "Power an instance on")
const stop = power("stop", "Power an instance off; it keeps its disk and its price")
const restart = power("restart", "Reboot an instance; starts it when it is off")

const setHostname = leaf("set-hostname", {
  id,
  hostname: Argument.String("hostname").pipe(Argument.withDescription("The new name, like web.example.com")),
  ...Arguments.waits
}, ({ hostname, id, ...waits }) =>
  acted({
    id,
    act: (core) => core.instances.hostname(id, { hostname }),
    more: (result) => `It is called ${result.hostname}.`,
    ...waits
  })).pipe(
    Command.withDescription("Change an instance's hostname"),
    Command.withExamples([{ command: "vps instance set-hostname 7 web.example.com" }])
  )

export const instance = Command.make("instance").pipe(
  Command.withDescription("Buy, see and run instances"),
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
