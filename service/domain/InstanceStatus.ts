/** The public status, derived from the stored state: it is never stored itself. */
import type { InstanceStatusValue } from "#contract/Instance"
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
