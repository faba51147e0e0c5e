/** All endpoints of the API, by group. */
import { instances } from "./Instances.ts"
import type {
  ActionResult,
  AvailablePlan,
  Backup,
  CreateSnapshot,
  Iso,
  LiveStatus,
  Metrics,
  MountIso,
  OsOptions,
  PublicPlan,
  RescueResult,
  ServiceInfo,
  Snapshot,
  SnapshotResult,
  TaskPage,
  Whoami
} from "../Records.ts"
import type { CallOptions, MetricsQuery, TasksQuery } from "../options/Options.ts"
import { idempotent, mutation, once, read } from "./Endpoint.ts"

/** The service, and the account of the API key. */
const account = {
  /**
   * Returns the service's name and version.
   *
   * @example
   * const { name, version } = await vps.account.root()
   * console.log(name, version)
   */
  root: read<(options?: CallOptions) => ServiceInfo>("GET /", { unshown: "ServiceInfo" }),

  /**
   * Returns the account and the scopes of the API key.
   *
   * @example
   * const { email, key } = await vps.account.whoami()
   * console.log(email, key.effective_scopes.join(", "))
   */
  whoami: read<(options?: CallOptions) => Whoami>("GET /whoami", { unshown: "Whoami" })
}

/** Backups of an instance's disk. The service makes one every night; you restore them. */
const backups = {
  /**
   * Lists the instance's backups.
   *
   * @example
   * const backups = await vps.backups.list(42)
   * console.log(backups.map(({ created_at, id, status }) => `${id} ${created_at} ${status}`))
   */
  list: read<(id: number, options?: CallOptions) => Array<Backup>>("GET /instances/:instance_id/backups", {
    list: true,
    unshown: "Backup"
  }),

  /**
   * Restores the disk from the backup. Data written after the backup is lost.
   *
   * @example
   * await vps.backups.restore(42, 12)
   * await vps.instances.waitUntilIdle(42)
   */
  restore: once<(id: number, backup_id: number, options?: CallOptions) => ActionResult>(
    "POST /instances/:instance_id/backups/:backup_id/restore",
    { unshown: "ActionResult" }
  )
}

/** The ISO library, and an instance's virtual drive. */
const isos = {
  /**
   * Lists the ISO images that can be mounted, and which one is.
   *
   * @example
   * const isos = await vps.isos.list(42)
   * console.log(isos.find(({ mounted }) => mounted)?.name ?? "none")
   */
  list: read<(id: number, options?: CallOptions) => Array<Iso>>("GET /instances/:instance_id/isos", {
    list: true,
    unshown: "Iso"
  }),

  /**
   * Mounts an ISO image in the virtual drive.
   *
   * @example
   * await vps.isos.mount(42, { iso_id: 2 })
   */
  mount: idempotent<(id: number, body: MountIso, options?: CallOptions) => ActionResult>(
    "POST /instances/:instance_id/iso",
    { body: true, unshown: "ActionResult" }
  ),

  /**
   * Unmounts the ISO image from the virtual drive.
   *
   * @example
   * await vps.isos.unmount(42)
   */
  unmount: idempotent<(id: number, options?: CallOptions) => ActionResult>("DELETE /instances/:instance_id/iso", {
    unshown: "ActionResult"
  })
}

/** An instance's live status, usage and activity, and the plans it can be resized to. */
export const monitoring = {
  /**
   * Returns the live status: power, boot mode, open task, snapshots used, and the newest usage sample.
   *
   * @example
   * const { power, sample, task } = await vps.monitoring.status(42)
   * console.log(power, task?.type ?? "idle", sample?.cpu_percent)
   */
  status: read<(id: number, options?: CallOptions) => LiveStatus>("GET /instances/:instance_id/status", {
    unshown: "LiveStatus"
  }),

  /**
   * Returns usage samples in bytes and bytes per second, 10 s (`1h`, the default) to 6 h (`30d`) apart.
   *
   * @example
   * const { samples } = await vps.monitoring.metrics(42, { range: "24h" })
   * console.log(Math.max(...samples.map(({ cpu_percent }) => cpu_percent)))
   */
  metrics: read<(id: number, query?: MetricsQuery, options?: CallOptions) => Metrics>(
    "GET /instances/:instance_id/metrics",
    { query: ["range"], unshown: "Metrics" }
  ),

  /**
   * Returns one page of the activity feed, newest first. `tasks.iterate` reads all pages.
   *
   * @example
   * const { items, total } = await vps.monitoring.tasks(42, { limit: 5 })
   * console.log(`${items.length} of ${total}`, items.map(({ status, type }) => `${type} ${status}`))
   */
  tasks: read<(id: number, query?: TasksQuery, options?: CallOptions) => TaskPage>(
    "GET /instances/:instance_id/tasks",
    { query: ["limit", "offset"], unshown: "TaskPage" }
  ),

  /**
   * Lists the plans the instance can be resized to, with the charge for a resize now. 400 for a dedicated plan.
   *
   * @example
   * for (const { charge_amount, currency, direction, slug } of await vps.monitoring.availablePlans(42)) {
   *   console.log(direction, slug, charge_amount, currency)
   * }
   */
  availablePlans: read<(id: number, options?: CallOptions) => Array<AvailablePlan>>(
    "GET /instances/:instance_id/available-plans",
    { list: true, unshown: "AvailablePlan" }
  )
}

/** Power on, power off and reboot. Each call returns immediately; a task does the work. */
export const power = {
  /**
   * Powers on the instance. Does nothing if it is running.
   *
   * @example
   * await vps.power.start(42)
   * await vps.instances.waitUntilIdle(42)
   */
  start: idempotent<(id: number, options?: CallOptions) => ActionResult>("POST /instances/:instance_id/start", {
    unshown: "ActionResult"
  }),

  /**
   * Powers off the instance. Does nothing if it is off.
   *
   * @example
   * const { task_id } = await vps.power.stop(42)
   * if (task_id !== null) await vps.instances.waitUntilIdle(42)
   */
  stop: idempotent<(id: number, options?: CallOptions) => ActionResult>("POST /instances/:instance_id/stop", {
    unshown: "ActionResult"
  }),

  /**
   * Reboots the instance. Starts it if it is off.
   *
   * @example
   * await vps.power.restart(42)
   * await vps.instances.waitUntilIdle(42)
   */
  restart: mutation<(id: number, options?: CallOptions) => ActionResult>("POST /instances/:instance_id/restart", {
    unshown: "ActionResult"
  })
}

/** Rescue mode: booting from a rescue system, and from the disk again. */
export const rescue = {
  /**
   * Boots the rescue system. With `restarted: false`, the boot mode is set but you must reboot the instance.
   *
   * @example
   * const { restarted } = await vps.rescue.enter(42)
   * if (!restarted) await vps.power.restart(42)
   */
  enter: idempotent<(id: number, options?: CallOptions) => RescueResult>("POST /instances/:instance_id/rescue"),

  /**
   * Boots from the disk again. With `restarted: false`, the boot mode is set but you must reboot the instance.
   *
   * @example
   * const { restarted } = await vps.rescue.exit(42)
   * if (!restarted) await vps.power.restart(42)
   */
  exit: idempotent<(id: number, options?: CallOptions) => RescueResult>("DELETE /instances/:instance_id/rescue")
}

/** The plans you can buy, and their images. */
export const services = {
  /**
   * Lists the plans you can buy.
   *
   * @example
   * const plans = await vps.services.list()
   * plans.sort((a, b) => a.price - b.price)
   * console.log(plans[0]?.slug)
   */
  list: read<(options?: CallOptions) => Array<PublicPlan>>("GET /services", { list: true }),

  /**
   * Returns the images that a plan can run. Pass an image's `slug` as `os`.
   *
   * @example
   * const { location_label, os_options = [] } = await vps.services.osOptions(1)
   * console.log(location_label, os_options.map(({ slug }) => slug))
   */
  osOptions: read<(service_id: number, options?: CallOptions) => OsOptions>("GET /services/:service_id/os-options")
}

/** Snapshots of an instance's disk. You create and delete them, up to a limit. */
const snapshots = {
  /**
   * Lists the instance's snapshots.
   *
   * @example
   * const snapshots = await vps.snapshots.list(42)
   * snapshots.sort((a, b) => b.created_at.localeCompare(a.created_at))
   * console.log(snapshots[0]?.name)
   */
  list: read<(id: number, options?: CallOptions) => Array<Snapshot>>("GET /instances/:instance_id/snapshots", {
    list: true,
    unshown: "Snapshot"
  }),

  /**
   * Takes a snapshot. It is `available` once its task has ended. 409 when the snapshot limit is reached.
   * Not retried after a lost response: look for its name in `list` before you call this again.
   *
   * @example
   * const { snapshot } = await vps.snapshots.create(42, { name: "before-upgrade" })
   * await vps.instances.waitUntilIdle(42)
   * console.log(snapshot.id)
   */
  create: once<(id: number, body: CreateSnapshot, options?: CallOptions) => SnapshotResult>(
    "POST /instances/:instance_id/snapshots",
    { body: true, unshown: "SnapshotResult" }
  ),

  /**
   * Restores the disk from the snapshot. Data written after the snapshot is lost.
   *
   * @example
   * await vps.snapshots.restore(42, 3)
   * await vps.instances.waitUntilIdle(42)
   */
  restore: once<(id: number, snap_id: number, options?: CallOptions) => ActionResult>(
    "POST /instances/:instance_id/snapshots/:snap_id/restore",
    { unshown: "ActionResult" }
  ),

  /**
   * Deletes a snapshot.
   *
   * @example
   * await vps.snapshots.delete(42, 3)
   */
  delete: idempotent<(id: number, snap_id: number, options?: CallOptions) => ActionResult>(
    "DELETE /instances/:instance_id/snapshots/:snap_id",
    { unshown: "ActionResult" }
  )
}

// Declared with `typeof`, so that the published types refer to the documented constants instead of copying them.
interface Groups {
  readonly account: typeof account
  readonly services: typeof services
  readonly instances: typeof instances
  readonly monitoring: typeof monitoring
  readonly power: typeof power
  readonly snapshots: typeof snapshots
  readonly backups: typeof backups
  readonly isos: typeof isos
  readonly rescue: typeof rescue
}

export const endpoints: Groups = {
  account,
  services,
  instances,
  monitoring,
  power,
  snapshots,
  backups,
  isos,
  rescue
}

/** The contract's name of an endpoint: `instances.reset_password`. */
export type OperationName = {
  [Group in keyof Groups]: `${Group}.${SnakeCase<Extract<keyof Groups[Group], string>>}`
}[keyof Groups]

export type SnakeCase<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Text
