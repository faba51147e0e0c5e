/**
 * The operations that an instance accepts in each state, in one total table, and the public status, which is derived
 * from the state and never stored.
 */
import type { InstanceStatusValue } from "@pulumi-vps/contract/Instance"
import type { OperationType } from "@pulumi-vps/contract/OperationPower"
import type { Lifecycle } from "../contract/Words.ts"

export type Power = "on" | "off"
export type BootMode = "disk" | "rescue"

export interface InstanceState {
  readonly lifecycle: Lifecycle
  readonly power: Power
  /** The mode of the next boot. */
  readonly bootMode: BootMode
  /** The mode of the last boot. While the machine is on, another boot mode means that a reboot is owed. */
  readonly booted: BootMode
  /** Type of the open task, if any. */
  readonly task: string | undefined
}

/** The status while a task is open. Tasks that are not listed leave it unchanged (hostname, rdns, snapshots). */
const STATUS_DURING: ReadonlyMap<string | undefined, InstanceStatusValue> = new Map([
  ["start", "starting"],
  ["stop", "stopping"],
  ["restart", "restarting"],
  ["reinstall", "reinstalling"],
  ["resize", "resizing"],
  ["snapshot_restore", "restoring"],
  ["backup_restore", "restoring"],
  ["rescue_enter", "restarting"],
  ["rescue_exit", "restarting"]
])

const statusWithoutTask = (state: InstanceState): InstanceStatusValue => {
  if (state.lifecycle !== "active") return state.lifecycle
  if (state.power === "off") return "stopped"
  return state.booted === "rescue" ? "rescue" : "running"
}

/** `pending` until a worker has claimed the provision task, then `provisioning`. */
export const statusOf = (state: InstanceState, taskRunning: boolean): InstanceStatusValue => {
  if (state.lifecycle === "pending") return state.task === "provision" && taskRunning ? "provisioning" : "pending"
  return (state.lifecycle === "active" ? STATUS_DURING.get(state.task) : undefined) ?? statusWithoutTask(state)
}

/** The reason that nothing brings an instance back; the caller adds what to do instead. */
export const deletionBegun = (instanceId?: number): string =>
  `${
    instanceId === undefined ? "Its deletion" : `The deletion of instance ${instanceId}`
  } has begun and cannot be undone.`

/** The columns of the table. A `deleted` instance is reported as not found before the table is consulted. */
export const CONDITIONS = ["pending", "running", "stopped", "rescue", "suspended", "expired", "failed"] as const
export type Condition = typeof CONDITIONS[number]

/** `yes`: execute it. `done`: nothing to do, respond with success. `no`: respond with 409. */
export type Verdict = "yes" | "done" | "no"

type Row = Readonly<Record<Condition, Verdict>>

const row = (running: Verdict, stopped: Verdict, rescue: Verdict, suspended: Verdict, expired: Verdict): Row => ({
  pending: "no",
  running,
  stopped,
  rescue,
  suspended,
  expired,
  failed: "no"
})

const TABLE = {
  start: row("done", "yes", "yes", "no", "no"),
  stop: row("yes", "done", "yes", "no", "no"),
  restart: row("yes", "yes", "yes", "no", "no"),
  reinstall: row("yes", "yes", "yes", "no", "no"),
  resize: row("yes", "yes", "no", "no", "no"),
  reset_password: row("yes", "yes", "no", "no", "no"),
  set_hostname: row("yes", "yes", "yes", "no", "no"),
  set_rdns: row("yes", "yes", "yes", "no", "no"),
  snapshot_create: row("yes", "yes", "no", "no", "no"),
  snapshot_restore: row("yes", "yes", "no", "no", "no"),
  backup_restore: row("yes", "yes", "no", "no", "no"),
  snapshot_delete: row("yes", "yes", "yes", "yes", "yes"),
  iso_mount: row("yes", "yes", "yes", "no", "no"),
  iso_unmount: row("yes", "yes", "yes", "no", "no"),
  rescue_enter: row("yes", "yes", "yes", "no", "no"),
  rescue_exit: row("yes", "yes", "yes", "no", "no")
} satisfies Partial<Record<OperationType, Row>>

/** An operation that a customer requests for an instance. */
export type InstanceOperation = keyof typeof TABLE

export const isInstanceOperation = (type: string): type is InstanceOperation => Object.hasOwn(TABLE, type)

/** The rows of the table. */
export const INSTANCE_OPERATIONS = Object.keys(TABLE) as ReadonlyArray<InstanceOperation>

/** A stopped instance retains what it booted, so the power decides between running, rescue and stopped. */
const conditionOf = (state: InstanceState): Condition => {
  switch (state.lifecycle) {
    case "active":
      return state.power === "off" ? "stopped" : state.booted === "rescue" ? "rescue" : "running"
    case "deleted":
      return "failed"
    default:
      return state.lifecycle
  }
}

/** The boot mode that an operation leads to. */
const bootModeOf = (operation: InstanceOperation): BootMode | undefined =>
  operation === "rescue_enter" ? "rescue" : operation === "rescue_exit" ? "disk" : undefined

/** A boot mode needs nothing only when it is set and booted: a reboot that is owed is made by the next request. */
export const verdict = (operation: InstanceOperation, state: InstanceState): Verdict => {
  const allowed = TABLE[operation][conditionOf(state)]
  if (allowed !== "yes") return allowed
  const mode = bootModeOf(operation)
  const booted = state.power === "on" ? state.booted : "disk"
  return state.bootMode === mode && booted === mode ? "done" : "yes"
}
