/**
 * The crash matrix: each row is one change of a stack, killed at every request that it sends: before it, and after the
 * service has done it and before the answer arrives.
 */
import { type Ending, PASSWORD } from "../Environment.ts"
import type { Verb } from "../Stack.ts"

export interface CrashRow {
  /** An order that another client places first. */
  readonly elsewhere?: object
  /** Instances beside `web`, from the beginning of the change. */
  readonly servers?: Readonly<Record<string, object>>
  /** The Instance `web` before; undefined: there is none yet. */
  readonly before?: object
  /** The Instance `web` after. */
  readonly after: object
  /** More lines of the program, before and after. */
  readonly besideBefore?: string
  readonly beside?: string
  /** The number of nights in between; each leaves a backup. */
  readonly nights?: number
  readonly verb?: Verb
  readonly environment?: Readonly<Record<string, string>>
  readonly ending?: Ending
  readonly unmanaged?: number
  /** The process to kill; "all" by default. */
  readonly kill?: "all" | "provider" | "engine"
  /** `pulumi refresh` runs between the kill and the next run, and after that; or only after it. */
  readonly refresh?: true | "after"
  /** Requests that may be added when a response was lost. */
  readonly extra?: RegExp
}

const web = { serviceId: 1, hostname: "web.example.com", rootPassword: PASSWORD, os: "debian-12" }
const destroyed = { before: web, after: web, verb: "destroy", ending: "destroyed", unmanaged: 1 } as const

const snapshot = (name: string): string =>
  `const snap = new vps.Snapshot("snap", { instanceId: web.id, name: "${name}" })\n`
const restored = (trigger: string): string =>
  "new vps.SnapshotRestore(\"back\", { instanceId: web.id, snapshotId: snap.snapshotId, "
  + `triggers: ["${trigger}"], allowDataLoss: true })`
const ptr = (name: string): string =>
  `new vps.ReverseDns("record", { instanceId: web.id, ip: web.ipv4, ptr: "${name}.example.com" })`
const BACKUP_RESTORED = "const backupId = vps.getBackupsOutput({ instanceId: web.id }).apply((all) => all[0].id)\n"
  + "new vps.BackupRestore(\"back\", { instanceId: web.id, backupId, allowDataLoss: true })"
const same = { before: web, after: web } as const

/** A server that is off already is not stopped a second time by the service. */
const STOP = /\/stop$/
/** It can't be read back, and setting it twice does no harm. */
const PTR = /\/rdns$/
/** The lost response said if the service rebooted the instance; a second reboot does no harm, a missing one does. */
const REBOOT = /\/restart$/

export const CRASHES: Readonly<Record<string, CrashRow>> = {
  "create": { after: web },
  "create, the provider alone is killed": { after: web, kill: "provider" },
  "create, the engine alone is killed": { after: web, kill: "engine" },
  "create, in rescue mode with an ISO": { after: { ...web, bootMode: "rescue", isoId: 2 } },
  "create three at once, for exactly maxChargePerUpdate": {
    after: web,
    environment: { VPS_MAX_CHARGE_PER_UPDATE: "14.97" },
    servers: { db: { ...web, hostname: "db.example.com" }, mail: { ...web, hostname: "mail.example.com" } }
  },
  "adopt an instance": {
    elsewhere: { service_id: 1 },
    after: { ...web, adoptInstanceId: 1 }
  },
  "a new generation": {
    before: { ...web, deletionPolicy: "stop" },
    after: { ...web, deletionPolicy: "stop", generation: 2 },
    unmanaged: 1,
    extra: STOP
  },
  "hostname": { before: web, after: { ...web, hostname: "www.example.com" } },
  "resize, the engine alone is killed": { before: web, after: { ...web, serviceId: 2 }, kill: "engine" },
  "resize": { before: web, after: { ...web, serviceId: 2 } },
  "resize, with a refresh after the kill": { before: web, after: { ...web, serviceId: 2 }, refresh: true },
  "resize with a snapshot before, the provider alone is killed": {
    before: web,
    after: { ...web, serviceId: 2, snapshotBefore: "before" },
    kill: "provider"
  },
  "reinstall": { before: web, after: { ...web, os: "debian-13", allowDataLoss: true } },
  "reinstall by triggers with a snapshot before": {
    before: { ...web, reinstallTriggers: ["1"], allowDataLoss: true },
    after: { ...web, reinstallTriggers: ["2"], allowDataLoss: true, snapshotBefore: "before" }
  },
  "power off": { before: { ...web, powerState: "running" }, after: { ...web, powerState: "off" } },
  "power on": { before: { ...web, powerState: "off" }, after: { ...web, powerState: "running" } },
  "rescue mode": { before: { ...web, bootMode: "disk" }, after: { ...web, bootMode: "rescue" }, extra: REBOOT },
  "back to the disk": { before: { ...web, bootMode: "rescue" }, after: { ...web, bootMode: "disk" }, extra: REBOOT },
  "ISO": { before: web, after: { ...web, isoId: 2 } },
  "password rotation": { before: { ...web, passwordRotation: "1" }, after: { ...web, passwordRotation: "2" } },
  "everything at once": {
    before: { ...web, passwordRotation: "1" },
    after: {
      ...web,
      serviceId: 2,
      os: "debian-13",
      allowDataLoss: true,
      snapshotBefore: "before",
      isoId: 2,
      hostname: "www.example.com",
      passwordRotation: "2"
    }
  },
  "a snapshot": { ...same, beside: snapshot("first") },
  "a snapshot by another name": { ...same, besideBefore: snapshot("first"), beside: snapshot("second") },
  "a removed snapshot": { ...same, besideBefore: snapshot("first") },
  "a restore": { ...same, besideBefore: snapshot("first"), beside: snapshot("first") + restored("1") },
  "another restore": {
    ...same,
    besideBefore: snapshot("first") + restored("1"),
    beside: snapshot("first") + restored("2")
  },
  "a restore of a backup": { ...same, nights: 1, beside: BACKUP_RESTORED },
  "a PTR record": { ...same, beside: ptr("web"), extra: PTR },
  "another PTR record": { ...same, besideBefore: ptr("web"), beside: ptr("www"), extra: PTR },
  "destroy with a snapshot": {
    ...destroyed,
    besideBefore: snapshot("first"),
    beside: snapshot("first"),
    extra: STOP,
    environment: { VPS_DELETION_POLICY: "stop" }
  },
  "destroy with stop": {
    ...destroyed,
    extra: STOP,
    environment: { VPS_DELETION_POLICY: "stop" }
  },
  "destroy with forget": { ...destroyed, environment: { VPS_DELETION_POLICY: "forget" } }
}
