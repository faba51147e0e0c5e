/** The commands for instances of all accounts, and their tasks. */
import * as Schema from "effect/Schema"
import { Instance } from "@pulumi-vps/contract/Instance"
import { Task } from "@pulumi-vps/contract/Monitoring"
import { NullableInt, NullableString, NullableTimestamp, Timestamp } from "@pulumi-vps/contract/Primitives"
import { Amount, between, Id, Name, Time, word } from "../Fields.ts"
import { LIFECYCLES } from "../Words.ts"
import { acts, argument, either, flag, optional, reads, toggle } from "./Define.ts"
import { before, instance, limit, reason } from "./Parameters.ts"

export const InstanceRecord = Schema.Struct({
  id: Schema.Int,
  account_id: Schema.Int,
  status: Instance.fields.status,
  plan: Schema.String,
  hostname: NullableString,
  ipv4: NullableString,
  /** Type of the open one. */
  task: NullableString,
  suspended_reason: NullableString,
  suspended_note: NullableString,
  created_at: Timestamp,
  expires_at: NullableTimestamp,
  auto_renew: Schema.Boolean
})

/** All that operators know of an instance. */
const DetailedInstance = Schema.Struct({
  ...InstanceRecord.fields,
  account_email: Schema.String,
  ipv6: NullableString,
  /** Null without a host: it is not deployed yet, or simulated. */
  host: NullableString,
  /** Its name on the host. */
  machine: Schema.String,
  plan_name: Schema.String,
  data_center: Schema.String,
  /** Of the next period, before VAT rules and discounts. */
  price: Amount,
  currency: Schema.String,
  /** The time at which an expired or failed instance is deleted. */
  deleted_at: NullableTimestamp
})

/** A year: longer ones are contracts of their own. */
const GRACE_DAYS_MAX = 366

const Lifecycle = Schema.Literals(LIFECYCLES)

/** The lifecycle afterwards, and the task that does the rest; null if nothing is left to do. */
const Changed = Schema.Struct({ instance_id: Schema.Int, lifecycle: Lifecycle, task_id: NullableInt })

/** `result` says what was corrected. */
const Corrected = Schema.Struct({
  instance_id: Schema.Int,
  result: Schema.String,
  expires_at: Timestamp
})

const INSTANCES = {
  "instances.list": reads({
    text: "List instances of all accounts, newest first",
    input: () => ({
      /** Only this one. */
      id: Schema.optionalKey(Id),
      account_id: Schema.optionalKey(either(Id, "Only instances of this account")),
      lifecycle: optional(word(LIFECYCLES), "Only instances in this lifecycle (default: all but deleted)"),
      search: optional(Name, "Only an id, or a part of the hostname or of an address"),
      before: before("instances"),
      limit: limit()
    }),
    result: () => Schema.Array(InstanceRecord),
    pages: { from: "before", field: "id" }
  }),
  "instances.show": reads({
    text: "Show an instance, also a deleted one",
    input: () => ({ id: instance() }),
    result: () => DetailedInstance
  }),
  "instances.suspend": acts({
    text: "Power off an instance and close it to its owner. Its paid period pauses until the suspension is lifted, "
      + "unless it is charged",
    short: "Power off an instance and close it to its owner",
    examples: [
      "instances suspend 7 --reason \"under investigation\"",
      "instances suspend 7 --reason \"sends spam\" --note \"second time\" --charged"
    ],
    input: () => ({
      id: instance(),
      reason: reason("which the customer sees"),
      note: optional(Name, "A note that only operators see"),
      charged: Schema.optionalKey(toggle("Its time passes and is renewed as before; the statement says so"))
    }),
    /** `charged`: false if its paid period pauses. */
    result: () => Schema.Struct({ ...Changed.fields, charged: Schema.Boolean })
  }),
  "instances.unsuspend": acts({
    text: "Lift a suspension and restore the instance's power state",
    input: () => ({ id: instance() }),
    result: () => Changed
  }),
  "instances.terminate": acts({
    text: "Delete an instance and its data now, without a refund",
    examples: ["instances terminate 7 --reason \"at the request of the customer\""],
    input: () => ({ id: instance(), reason: reason("for the audit log") }),
    result: () => Changed
  }),
  "instances.auto_renew": acts({
    text: "Turn automatic renewal on or off. Turning it on restores an expired instance if the wallet covers it",
    examples: ["instances auto-renew 7 off"],
    input: () => ({ id: instance(), auto_renew: Schema.Boolean }),
    result: () =>
      Schema.Struct({
        instance_id: Schema.Int,
        auto_renew: Schema.Boolean,
        lifecycle: Lifecycle,
        expires_at: NullableTimestamp,
        /** True if an expired instance was renewed now. */
        renewed: Schema.Boolean
      })
  }),
  "instances.undo_renewal": acts({
    text: "Refund the last renewal of an instance, and end its paid period where it ended before",
    short: "Undo the last renewal of an instance",
    input: () => ({ id: instance() }),
    result: () => Corrected
  }),
  "instances.undo_expiry": acts({
    text: "Restore an instance that expired although its period is paid",
    short: "Undo the expiry of an instance",
    input: () => ({ id: instance() }),
    result: () => Corrected
  }),
  "instances.extend_grace": acts({
    text: "Give the owner of an expired instance more time to pay before it is deleted",
    examples: ["instances extend-grace 7 --days 14"],
    input: () => ({
      id: instance(),
      days: flag(Schema.Int.check(...between(1, GRACE_DAYS_MAX)), "Days from the end of its grace period")
    }),
    result: () => Schema.Struct({ instance_id: Schema.Int, deleted_at: Timestamp })
  })
}

export const TaskRecord = Schema.Struct({
  ...Task.fields,
  attempts: Schema.Int,
  /** Waits for an operator's approval. */
  held: Schema.Boolean,
  /** Of the instance. */
  hostname: NullableString,
  account_id: Schema.Int,
  account_email: Schema.String,
  /** The person or the API key that requested it; null for the service and for operators. */
  by: NullableString,
  /** The order that waits for the approval, with its charge; null for other tasks. */
  ordered: Schema.NullOr(Schema.Struct({ plan: Schema.String, amount: Amount, currency: Schema.String }))
})

/** A failed task after which the machine may differ from the record. */
const UnreconciledRecord = Schema.Struct({
  id: Schema.Int,
  instance_id: Schema.Int,
  machine: Schema.String,
  type: Schema.String,
  /** Effects that may be left at the upstream. */
  left: Schema.String,
  error: NullableString,
  finished_at: NullableTimestamp
})

const TASK_STATUSES = ["queued", "held", "running", "succeeded", "failed", "cancelled"] as const

const TASK_COLUMNS = [
  "id",
  "instance_id",
  "hostname",
  "account_id",
  "type",
  "status",
  "progress",
  "attempts",
  "created_at",
  "error"
] as const

const task = () => argument(Id, "task", "The task's id")

const TASKS = {
  "tasks.list": reads({
    text: "List tasks of all instances, newest first; \"held\" tasks need approval",
    input: () => ({
      instance_id: optional(Id, "Only tasks of this instance"),
      account_id: Schema.optionalKey(either(Id, "Only tasks of this account's instances")),
      status: optional(word(TASK_STATUSES), "Only tasks with this status; held ones are not among the queued"),
      ended_since: optional(Time, "Only tasks that ended at this time or later, like 2027-01-31"),
      search: optional(
        Name,
        "Only the id of a task or an instance, or a part of the type, error, host name or account's address"
      ),
      before: before("tasks"),
      limit: limit()
    }),
    result: () => Schema.Array(TaskRecord),
    columns: TASK_COLUMNS,
    pages: { from: "before", field: "id" }
  }),
  "tasks.show": reads({ text: "Show a task", input: () => ({ id: task() }), result: () => TaskRecord }),
  "tasks.retry": acts({
    text: "Retry a waiting task now, or repeat a failed one where that is safe",
    fresh: false,
    input: () => ({ id: task() }),
    result: () => TaskRecord,
    columns: TASK_COLUMNS
  }),
  "tasks.approve": acts({
    text: "Start a deployment whose plan has auto_deploy: false",
    fresh: false,
    input: () => ({ id: task() }),
    result: () => TaskRecord,
    columns: TASK_COLUMNS
  }),
  "tasks.reject": acts({
    text: "Reject an order whose deployment waits for approval: refund it, free what was reserved for it, and mail "
      + "the customer",
    short: "Reject an order that waits for approval",
    examples: ["tasks reject 42 --reason \"we could not verify your address\""],
    input: () => ({ id: task(), reason: reason("which the customer sees") }),
    result: () =>
      Schema.Struct({
        task_id: Schema.Int,
        instance_id: Schema.Int,
        refunded: Amount,
        currency: Schema.String,
        reason: Schema.String
      })
  }),
  "tasks.unreconciled": reads({
    text: "List failed tasks after which the machine may differ from the record, until they are retried "
      + "(\"tasks retry\") or abandoned (\"tasks abandon\")",
    short: "List failed tasks after which the machine may differ from the record",
    input: () => ({ before: before("tasks"), limit: limit() }),
    result: () => Schema.Array(UnreconciledRecord),
    pages: { from: "before", field: "id" }
  }),
  "tasks.abandon": acts({
    text: "Abandon a failed task, which removes it from the list of unreconciled ones",
    examples: ["tasks abandon 42 --reason \"taken down by hand\""],
    fresh: false,
    input: () => ({ id: task(), reason: reason("for the instance's activity feed") }),
    result: () => Schema.Struct({ ...UnreconciledRecord.fields, reason: Schema.String })
  })
}

export const INSTANCE_COMMANDS = { ...INSTANCES, ...TASKS }
