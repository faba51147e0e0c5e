/** Instances and their tasks. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { LIFECYCLES } from "../../domain/InstanceStatus.ts"
import { type ResultOf, TASK_STATUSES } from "../Commands.ts"
import { given, limit, present } from "./AdminCommand.ts"

const instance = Argument.Int("instance").pipe(Argument.withDescription("The instance's id"))
const task = Argument.Int("task").pipe(Argument.withDescription("The task's id"))

const listInstances = Command.make("list", {
  account_id: Flag.Int("account").pipe(Flag.withDescription("Only this account's"), Flag.optional),
  lifecycle: Flag.Literals("lifecycle", LIFECYCLES).pipe(
    Flag.withDescription("Only those (default: all but deleted)"),
    Flag.optional
  ),
  limit
}, ({ limit: rows, ...filter }) => present("instances.list", { limit: rows, ...given(filter) })).pipe(
  Command.withDescription("List instances of all accounts, newest first")
)

const suspend = Command.make("suspend", {
  id: instance,
  reason: Flag.String("reason").pipe(Flag.withDescription("Why, for other operators"))
}, (asked) => present("instances.suspend", asked)).pipe(
  Command.withDescription("Power an instance off and close it to its owner"),
  Command.withExamples([{ command: "vps-service admin instances suspend 7 --reason \"sends spam\"" }])
)

const unsuspend = Command.make("unsuspend", { id: instance }, (asked) => present("instances.unsuspend", asked)).pipe(
  Command.withDescription("Lift a suspension; the machine comes back to the power that it had")
)

const autoRenew = Command.make("auto-renew", {
  id: instance,
  state: Argument.Literals("state", ["on", "off"]).pipe(
    Argument.withDescription("on: the end of a period charges the next one; off: the instance expires then")
  )
}, ({ id, state }) => present("instances.auto_renew", { id, auto_renew: state === "on" })).pipe(
  Command.withDescription("Say whether an instance renews by itself; one that has expired and is paid for comes back"),
  Command.withExamples([{ command: "vps-service admin instances auto-renew 7 off" }])
)

export const instances = Command.make("instances").pipe(
  Command.withDescription("See and suspend instances, and say whether they renew"),
  Command.withSubcommands([listInstances, suspend, unsuspend, autoRenew])
)

type Shown = ResultOf<"tasks.retry">

/** A table has no room for all of it. */
const brief = ({ attempts, created_at, error, held, id, instance_id, progress, status, type }: Shown) => ({
  id,
  instance_id,
  type,
  status: held ? "held" : status,
  progress,
  attempts,
  created_at,
  error
})

const listTasks = Command.make(
  "list",
  {
    instance_id: Flag.Int("instance").pipe(Flag.withDescription("Only this instance's"), Flag.optional),
    status: Flag.Literals("status", TASK_STATUSES).pipe(Flag.withDescription("Only those"), Flag.optional),
    limit
  },
  ({ limit: rows, ...filter }) => present("tasks.list", { limit: rows, ...given(filter) }, (tasks) => tasks.map(brief))
).pipe(
  Command.withDescription("List tasks of all instances, newest first; \"held\" waits for an operator")
)

const retry = Command.make("retry", { id: task }, (asked) => present("tasks.retry", asked, brief)).pipe(
  Command.withDescription("Try a waiting task now, or begin a failed one anew where that is safe")
)

const approve = Command.make("approve", { id: task }, (asked) => present("tasks.approve", asked, brief)).pipe(
  Command.withDescription("Let a deployment begin whose plan has auto_deploy: false")
)

const leftovers = Command.make("leftovers", { limit }, (asked) => present("tasks.leftovers", asked)).pipe(
  Command.withDescription(
    "List failed tasks that may have left the upstream otherwise than our record says, until one is begun anew "
      + "(\"tasks retry\") or given up (\"tasks abandon\")"
  ),
  Command.withShortDescription("List what failed tasks may have left at the upstream")
)

const abandon = Command.make("abandon", {
  id: task,
  reason: Flag.String("reason").pipe(Flag.withDescription("Why; it stands in the instance's feed"))
}, (asked) => present("tasks.abandon", asked)).pipe(
  Command.withDescription("Give up what a failed task left to do; it leaves the list of leftovers"),
  Command.withExamples([{ command: "vps-service admin tasks abandon 42 --reason \"taken down by hand\"" }])
)

export const tasks = Command.make("tasks").pipe(
  Command.withDescription("See tasks, try them again, let held ones begin"),
  Command.withSubcommands([listTasks, retry, approve, leftovers, abandon])
)
