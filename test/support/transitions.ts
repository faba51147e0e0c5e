/** The transition table as the design writes it, for those who hold the code against it. */
import type { Condition, InstanceOperation, InstanceState } from "#service/domain/InstanceMachine"

/** A word per state: pending, running, stopped, rescue, suspended, expired, failed. `done`: nothing to do. */
export const TRANSITIONS: Readonly<Record<InstanceOperation, string>> = {
  start: "no done yes yes no no no",
  stop: "no yes done yes no no no",
  restart: "no yes yes yes no no no",
  reinstall: "no yes yes yes no no no",
  resize: "no yes yes no no no no",
  reset_password: "no yes yes no no no no",
  set_hostname: "no yes yes yes no no no",
  set_rdns: "no yes yes yes no no no",
  snapshot_create: "no yes yes no no no no",
  snapshot_restore: "no yes yes no no no no",
  backup_restore: "no yes yes no no no no",
  snapshot_delete: "no yes yes yes yes yes no",
  iso_mount: "no yes yes yes no no no",
  iso_unmount: "no yes yes yes no no no",
  rescue_enter: "no yes yes done no no no",
  rescue_exit: "no done done yes no no no"
}

/** Active, powered on, booted from its disk, with nothing to do. */
export const idle = { lifecycle: "active", power: "on", bootMode: "disk", booted: "disk", task: undefined } as const

/** An instance in each state. */
export const STATES: Readonly<Record<Condition, InstanceState>> = {
  pending: { ...idle, lifecycle: "pending", power: "off" },
  running: idle,
  stopped: { ...idle, power: "off" },
  rescue: { ...idle, bootMode: "rescue", booted: "rescue" },
  suspended: { ...idle, lifecycle: "suspended" },
  expired: { ...idle, lifecycle: "expired" },
  failed: { ...idle, lifecycle: "failed" }
}
