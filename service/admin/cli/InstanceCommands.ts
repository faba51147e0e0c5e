/** Instances and their tasks. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { LIFECYCLES } from "../../domain/InstanceStatus.ts"
import type { ResultOf } from "../Commands.ts"
import { TASK_STATUSES } from "../commands/Tasks.ts"
import { commandFor, limit } from "./AdminCommand.ts"
import { accountOr, optional } from "./Flags.ts"

const instance = Argument.Int("instance").pipe(Argument.withDescription("The instance's id"))
const task = Argument.Int("task").pipe(Argument.withDescription("The task's id"))

const listInstances = commandFor("instances.list", {
  ...accountOr("Only instances of this account"),
  lifecycle: optional(
    Flag.Literals("lifecycle", LIFECYCLES),
    "Only instances in this lifecycle (default: all but deleted)"
  ),
  search: optional(Flag.String("search"), "Only an id, or a part of the hostname or of an address"),
  before: optional(Flag.Int("before"), "Only instances before this id, for the next page"),
  limit
}, { description: "List instances of all accounts, newest first", paged: { flag: "before", idOf: ({ id }) => id } })

const suspend = commandFor("instances.suspend", {
  id: instance,
  reason: Flag.String("reason").pipe(Flag.withDescription("The reason, which the customer sees")),
  note: optional(Flag.String("note"), "A note that only operators see")
}, {
  description: "Power off an instance and close it to its owner",
  example: "instances suspend 7 --reason \"sends spam\" --note \"second time\""
})

const terminate = commandFor("instances.terminate", {
  id: instance,
  reason: Flag.String("reason").pipe(Flag.withDescription("The reason, for the audit log"))
}, {
  description: "Delete an instance and its data now, without a refund",
  example: "instances terminate 7 --reason \"at the request of the customer\""
})

const unsuspend = commandFor("instances.unsuspend", { id: instance }, {
  description: "Lift a suspension and restore the instance's power state"
})

const autoRenew = commandFor("instances.auto_renew", {
  id: instance,
  auto_renew: Argument.Literals("state", ["on", "off"]).pipe(
    Argument.withDescription("on: the end of a period charges the next one; off: the instance expires then"),
    Argument.map((state) => state === "on")
  )
}, {
  description: "Turn automatic renewal on or off. Turning it on restores an expired instance if the wallet covers it",
  example: "instances auto-renew 7 off"
})

const undoRenewal = commandFor("instances.undo_renewal", { id: instance }, {
  description: "Refund the last renewal of an instance, and end its paid period where it ended before",
  short: "Undo the last renewal of an instance"
})

const undoExpiry = commandFor("instances.undo_expiry", { id: instance }, {
  description: "Restore an instance that expired although its period is paid",
  short: "Undo the expiry of an instance"
})

export const instances = Command.make("instances").pipe(
  Command.withDescription("List and suspend instances, and set their renewal"),
  Command.withSubcommands([listInstances, suspend, unsuspend, terminate, autoRenew, undoRenewal, undoExpiry])
)

/** The columns of a table. */
const summarize = (
  { attempts, created_at, error, held, id, instance_id, progress, status, type }: ResultOf<"tasks.retry">
) => ({
  id,
  instance_id,
  type,
  status: held ? "held" : status,
  progress,
  attempts,
  created_at,
  error
})

const listTasks = commandFor("tasks.list", {
  instance_id: optional(Flag.Int("instance"), "Only tasks of this instance"),
  status: optional(Flag.Literals("status", TASK_STATUSES), "Only tasks with this status"),
  search: optional(
    Flag.String("search"),
    "Only the id of a task or an instance, or a part of the type or of the error"
  ),
  before: optional(Flag.Int("before"), "Only tasks before this id, for the next page"),
  limit
}, {
  description: "List tasks of all instances, newest first; \"held\" tasks need approval",
  view: (tasks) => tasks.map(summarize),
  paged: { flag: "before", idOf: ({ id }) => id }
})

const showTask = commandFor("tasks.show", { id: task }, { description: "Show a task" })

const retry = commandFor("tasks.retry", { id: task }, {
  description: "Retry a waiting task now, or repeat a failed one where that is safe",
  view: summarize
})

const approve = commandFor("tasks.approve", { id: task }, {
  description: "Start a deployment whose plan has auto_deploy: false",
  view: summarize
})

const reject = commandFor("tasks.reject", {
  id: task,
  reason: Flag.String("reason").pipe(Flag.withDescription("The reason, which the customer sees"))
}, {
  description:
    "Reject an order whose deployment waits for approval: refund it, free what was reserved for it, and mail "
    + "the customer",
  short: "Reject an order that waits for approval",
  example: "tasks reject 42 --reason \"we could not verify your address\""
})

const leftovers = commandFor("tasks.leftovers", {
  before: optional(Flag.Int("before"), "Only tasks before this id, for the next page"),
  limit
}, {
  description: "List failed tasks that may have left the upstream inconsistent, until they are retried "
    + "(\"tasks retry\") or abandoned (\"tasks abandon\")",
  short: "List failed tasks that may have left the upstream inconsistent",
  paged: { flag: "before", idOf: ({ id }) => id }
})

const abandon = commandFor("tasks.abandon", {
  id: task,
  reason: Flag.String("reason").pipe(Flag.withDescription("The reason, for the instance's activity feed"))
}, {
  description: "Abandon a failed task, which removes it from the list of leftovers",
  example: "tasks abandon 42 --reason \"taken down by hand\""
})

export const tasks = Command.make("tasks").pipe(
  Command.withDescription("List and retry tasks; approve and reject orders"),
  Command.withSubcommands([listTasks, showTask, retry, approve, reject, leftovers, abandon])
)
