/** Generated from the definitions by `npm run generate`. Policy packs find a class by `__pulumiType`. */
import type * as pulumi from "@pulumi/pulumi"
import {
  type BackupRestoreArgs,
  BackupRestoreResource,
  type ReverseDnsArgs,
  ReverseDnsResource,
  type SnapshotArgs,
  SnapshotResource,
  type SnapshotRestoreArgs,
  SnapshotRestoreResource
} from "../classes/Attached.ts"
import { type InstanceArgs, InstanceResource } from "../classes/Instance.ts"
import { type VpsServerArgs, VpsServerComponent } from "../classes/VpsServer.ts"
import { INSTANCE } from "../instance/Definition.ts"
import { BACKUP_RESTORE, SNAPSHOT_RESTORE } from "../restore/Definition.ts"
import { REVERSE_DNS } from "../reverse-dns/Definition.ts"
import { SNAPSHOT } from "../snapshot/Definition.ts"
import { register, typeOf } from "./Register.ts"

/**
 * A virtual private server. It is bought once per name, never replaced unless `generation` changes, and never dropped
 * silently: running a failed update again continues with the same instance.
 *
 * @example
 * const web = new Instance("web", {
 *   plan: "vps-s",
 *   os: "debian-13",
 *   hostname: "web.example.com",
 *   maxCharge: 10, // the preview fails if the charge is higher
 *   deletionPolicy: "stop" // destroy powers it off: the API cannot end a contract
 * })
 *
 * export const address = web.ipv4
 * export const paidUntil = web.expiresAt
 */
export class Instance extends InstanceResource {
  static readonly __pulumiType = typeOf(INSTANCE)

  constructor(name: string, args: InstanceArgs, opts?: pulumi.CustomResourceOptions) {
    super(...register(INSTANCE, name, args, opts))
  }
}

/**
 * A snapshot of an instance's disk, taken once: it is looked up by its name before another one is requested. The
 * service stores a limited number per instance (the quota), free of charge.
 *
 * @example
 * const web = new Instance("web", { plan: "vps-s", hostname: "web.example.com", maxCharge: 10 })
 *
 * const snapshot = new Snapshot("before-upgrade", { instanceId: web.id, name: "before-upgrade" })
 *
 * export const snapshotId = snapshot.snapshotId
 */
export class Snapshot extends SnapshotResource {
  static readonly __pulumiType = typeOf(SNAPSHOT)

  constructor(name: string, args: SnapshotArgs, opts?: pulumi.CustomResourceOptions) {
    super(...register(SNAPSHOT, name, args, opts))
  }
}

/**
 * The reverse DNS (PTR) record of an address. The API can set a record but not read it, so changes made elsewhere are
 * not detected.
 *
 * @example
 * const web = new Instance("web", { plan: "vps-s", hostname: "web.example.com", maxCharge: 10 })
 *
 * const record = new ReverseDns("web", { instanceId: web.id, ip: web.ipv4, ptr: "web.example.com" })
 *
 * export const ptr = record.ptr
 */
export class ReverseDns extends ReverseDnsResource {
  static readonly __pulumiType = typeOf(REVERSE_DNS)

  constructor(name: string, args: ReverseDnsArgs, opts?: pulumi.CustomResourceOptions) {
    super(...register(REVERSE_DNS, name, args, opts))
  }
}

/**
 * Restores an instance's disk to a snapshot: once when it is created, and once per change of `triggers`; a lost answer
 * never causes a second restore. Newer data on the disk is lost. Destroying it does nothing.
 *
 * @example
 * const web = new Instance("web", { plan: "vps-s", hostname: "web.example.com", maxCharge: 10 })
 * const snapshot = new Snapshot("before-upgrade", { instanceId: web.id, name: "before-upgrade" })
 *
 * const rollback = new SnapshotRestore("rollback", {
 *   instanceId: web.id,
 *   snapshotId: snapshot.snapshotId,
 *   triggers: ["the upgrade of March 1 failed"], // another text restores again
 *   allowDataLoss: true
 * })
 *
 * export const restoredAt = rollback.restoredAt
 */
export class SnapshotRestore extends SnapshotRestoreResource {
  static readonly __pulumiType = typeOf(SNAPSHOT_RESTORE)

  constructor(name: string, args: SnapshotRestoreArgs, opts?: pulumi.CustomResourceOptions) {
    super(...register(SNAPSHOT_RESTORE, name, args, opts))
  }
}

/**
 * Restores an instance's disk to one of its nightly backups; otherwise like `SnapshotRestore`.
 *
 * @example
 * const web = new Instance("web", { plan: "vps-s", hostname: "web.example.com", maxCharge: 10 })
 *
 * const rollback = new BackupRestore("rollback", {
 *   instanceId: web.id,
 *   backupId: 1, // getBackups lists the backups of an instance
 *   triggers: ["the upgrade of March 1 failed"], // another text restores again
 *   allowDataLoss: true
 * })
 *
 * export const restoredAt = rollback.restoredAt
 */
export class BackupRestore extends BackupRestoreResource {
  static readonly __pulumiType = typeOf(BACKUP_RESTORE)

  constructor(name: string, args: BackupRestoreArgs, opts?: pulumi.CustomResourceOptions) {
    super(...register(BACKUP_RESTORE, name, args, opts))
  }
}

/**
 * An instance with the PTR record of its address and a first snapshot, as one component. Its parts are ordinary
 * resources with its name: `instance`, `reverseDns`, `snapshot`.
 *
 * @example
 * const web = new VpsServer("web", {
 *   serviceId: 1, hostname: "web.example.com", firstSnapshot: "as-installed"
 * })
 * export const address = web.ipv4
 */
export class VpsServer extends VpsServerComponent {
  constructor(name: string, args: VpsServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super({ Instance, ReverseDns, Snapshot }, name, args, opts)
  }
}
