/** The operations on instances, by their types in the activity feed, and what each does to an instance's power. */

/**
 * `on`, `off`: the instance is so afterwards. `reboot`: one that is on boots in another mode, one that is off stays
 * off. `none`: it is as it was before, even if the operation needed a power cycle.
 */
export type PowerEffect = "on" | "off" | "reboot" | "none"

export const OPERATION_POWER = {
  provision: "on",
  start: "on",
  stop: "off",
  restart: "on",
  reinstall: "on",
  resize: "none",
  reset_password: "none",
  set_hostname: "none",
  set_rdns: "none",
  snapshot_create: "none",
  snapshot_restore: "none",
  snapshot_delete: "none",
  backup_create: "none",
  backup_restore: "none",
  iso_mount: "none",
  iso_unmount: "none",
  rescue_enter: "reboot",
  rescue_exit: "reboot",
  suspend: "off",
  unsuspend: "on",
  expire: "off",
  move: "none",
  terminate: "off"
} as const satisfies Readonly<Record<string, PowerEffect>>

export type OperationType = keyof typeof OPERATION_POWER

/** The operations with one of these effects. */
export const operationsWith = (...effects: ReadonlyArray<PowerEffect>): ReadonlyArray<OperationType> =>
  (Object.keys(OPERATION_POWER) as ReadonlyArray<OperationType>).filter((type) =>
    effects.includes(OPERATION_POWER[type])
  )
