/** The classes that programs use: they only hand their arguments to the engine. What happens is in `../restore`. */
import type * as pulumi from "@pulumi/pulumi"
import {
  type BackupRestoreArgs,
  BackupRestoreResource,
  type SnapshotRestoreArgs,
  SnapshotRestoreResource
} from "../classes/Attached.ts"
import { BACKUP_RESTORE, SNAPSHOT_RESTORE } from "../restore/Definition.ts"
import { propertiesOf } from "./Register.ts"
import { BACKUP_RESTORE_TEXT, SNAPSHOT_RESTORE_TEXT } from "./ProviderText.ts"

/**
 * Puts an instance's disk back to a snapshot: once when it is created, and once per change of `triggers`; never twice
 * because an answer was lost. What was written to the disk since is lost. Destroying it does nothing.
 *
 * @example
 * new SnapshotRestore("back", {
 *   instanceId: web.id, snapshotId: before.snapshotId, triggers: ["2026-03-01"], allowDataLoss: true
 * })
 */
export class SnapshotRestore extends SnapshotRestoreResource {
  /** What policy packs know the class by: see `validateResourceOfType` of `@pulumi/policy`. */
  static readonly __pulumiType = "pulumi-nodejs:dynamic/vps:SnapshotRestore"

  constructor(name: string, args: SnapshotRestoreArgs, opts?: pulumi.CustomResourceOptions) {
    const properties = propertiesOf(SNAPSHOT_RESTORE, name, args, opts?.parent, SNAPSHOT_RESTORE_TEXT)
    super(SnapshotRestore.__pulumiType, name, properties, opts)
  }
}

/**
 * Puts an instance's disk back to one of the host's nightly backups; otherwise like {@link SnapshotRestore}.
 *
 * @example
 * const newest = getBackupsOutput({ instanceId: web.id }).apply((backups) => backups.at(-1)!.id)
 * new BackupRestore("back", { instanceId: web.id, backupId: newest, triggers: ["2026-03-01"], allowDataLoss: true })
 */
export class BackupRestore extends BackupRestoreResource {
  /** What policy packs know the class by: see `validateResourceOfType` of `@pulumi/policy`. */
  static readonly __pulumiType = "pulumi-nodejs:dynamic/vps:BackupRestore"

  constructor(name: string, args: BackupRestoreArgs, opts?: pulumi.CustomResourceOptions) {
    const properties = propertiesOf(BACKUP_RESTORE, name, args, opts?.parent, BACKUP_RESTORE_TEXT)
    super(BackupRestore.__pulumiType, name, properties, opts)
  }
}
