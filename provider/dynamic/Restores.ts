/** The classes that programs use: they only hand their arguments to the engine. What happens is in `../restore`. */
import * as pulumi from "@pulumi/pulumi"
import { BACKUP_RESTORE, SNAPSHOT_RESTORE } from "../restore/Args.ts"
import { type AttachedTimeouts, handOver } from "./Attached.ts"
import { BACKUP_RESTORE_TEXT, SNAPSHOT_RESTORE_TEXT } from "./ProviderText.ts"

/** What both kinds of restore take. */
export interface RestoreArgs {
  /** The id of the instance whose disk is put back: `instance.id`. A change replaces the resource, and restores. */
  readonly instanceId: pulumi.Input<string | number>
  /**
   * Values whose change restores again. Creating the resource restores once, with or without them; removing them does
   * nothing.
   */
  readonly triggers?: pulumi.Input<Array<unknown>>
  /** Must be true whenever a restore is due: what was written to the disk since is lost. */
  readonly allowDataLoss?: pulumi.Input<boolean>
  /** 10 minutes each by default. */
  readonly timeouts?: pulumi.Input<Pick<AttachedTimeouts, "create" | "update">>
}

/** What may be given for a {@link SnapshotRestore}. */
export interface SnapshotRestoreArgs extends RestoreArgs {
  /** The snapshot: `snapshot.snapshotId`. A change alone is recorded; change `triggers` with it to restore now. */
  readonly snapshotId: pulumi.Input<number>
}

/** What may be given for a {@link BackupRestore}. */
export interface BackupRestoreArgs extends RestoreArgs {
  /** The backup, from `getBackups`. A change alone is recorded; change `triggers` with it to restore now. */
  readonly backupId: pulumi.Input<number>
}

/**
 * Puts an instance's disk back to a snapshot: once when it is created, and once per change of `triggers`; never twice
 * because an answer was lost. What was written to the disk since is lost. Destroying it does nothing.
 *
 * @example
 * new SnapshotRestore("back", {
 *   instanceId: web.id, snapshotId: before.snapshotId, triggers: ["2026-03-01"], allowDataLoss: true
 * })
 */
export class SnapshotRestore extends pulumi.CustomResource {
  declare readonly instanceId: pulumi.Output<string>
  declare readonly snapshotId: pulumi.Output<number>
  /** Those that the last restore was for. */
  declare readonly triggers: pulumi.Output<ReadonlyArray<unknown> | undefined>
  declare readonly allowDataLoss: pulumi.Output<boolean | undefined>
  declare readonly timeouts: pulumi.Output<Readonly<Record<string, string>> | undefined>
  /** The last restore in the activity feed. */
  declare readonly taskId: pulumi.Output<number>
  /** The snapshot that the last restore brought back. */
  declare readonly restoredFrom: pulumi.Output<number>
  /** ISO 8601; undefined while it runs. */
  declare readonly restoredAt: pulumi.Output<string | undefined>
  /** The account that owns the instance. */
  declare readonly userId: pulumi.Output<number>

  constructor(name: string, args: SnapshotRestoreArgs, opts?: pulumi.CustomResourceOptions) {
    const properties = handOver(SNAPSHOT_RESTORE, name, args, opts?.parent, SNAPSHOT_RESTORE_TEXT)
    super("pulumi-nodejs:dynamic/vps:SnapshotRestore", name, properties, opts)
  }
}

/**
 * Puts an instance's disk back to one of the host's nightly backups; otherwise like {@link SnapshotRestore}.
 *
 * @example
 * const newest = getBackupsOutput({ instanceId: web.id }).apply((backups) => backups.at(-1)!.id)
 * new BackupRestore("back", { instanceId: web.id, backupId: newest, triggers: ["2026-03-01"], allowDataLoss: true })
 */
export class BackupRestore extends pulumi.CustomResource {
  declare readonly instanceId: pulumi.Output<string>
  declare readonly backupId: pulumi.Output<number>
  /** Those that the last restore was for. */
  declare readonly triggers: pulumi.Output<ReadonlyArray<unknown> | undefined>
  declare readonly allowDataLoss: pulumi.Output<boolean | undefined>
  declare readonly timeouts: pulumi.Output<Readonly<Record<string, string>> | undefined>
  /** The last restore in the activity feed. */
  declare readonly taskId: pulumi.Output<number>
  /** The backup that the last restore brought back. */
  declare readonly restoredFrom: pulumi.Output<number>
  /** ISO 8601; undefined while it runs. */
  declare readonly restoredAt: pulumi.Output<string | undefined>
  /** The account that owns the instance. */
  declare readonly userId: pulumi.Output<number>

  constructor(name: string, args: BackupRestoreArgs, opts?: pulumi.CustomResourceOptions) {
    const properties = handOver(BACKUP_RESTORE, name, args, opts?.parent, BACKUP_RESTORE_TEXT)
    super("pulumi-nodejs:dynamic/vps:BackupRestore", name, properties, opts)
  }
}
