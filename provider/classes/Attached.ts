/** Generated from the definitions by `npm run generate`. Do not edit. */
import type * as pulumi from "@pulumi/pulumi"
import { VpsResource } from "./VpsResource.ts"

/** The arguments of {@link SnapshotResource}. An input without a default is not managed when it is left out. */
export interface SnapshotArgs {
  /** The instance to take the snapshot of: `instance.id`. Takes: id of an instance. A change replaces the resource. */
  readonly instanceId: pulumi.Input<string | number>
  /**
   * Name, unique among the snapshots that this program takes of the instance. Takes: string, 1 to 64 characters. A
   * change (replaced) takes a new snapshot, then deletes the old one; in the reverse order when the quota is full.
   */
  readonly name: pulumi.Input<string>
  /**
   * The effect of destroying. delete: deletes the snapshot. keep: leaves it; it still counts towards the quota. A
   * snapshot that is destroyed together with its instance stays with the instance. Default: "delete".
   */
  readonly onDelete?: pulumi.Input<"delete" | "keep">
  /**
   * Timeouts of the phases. Takes: object of durations such as "90s" or "10m": create, update, delete. Default: 10
   * minutes each.
   */
  readonly timeouts?: pulumi.Input<{ readonly [P in "create" | "update" | "delete"]?: pulumi.Input<string> }>
}

/** The outputs of Snapshot, the same in both hosts. */
export abstract class SnapshotResource extends VpsResource {
  declare readonly instanceId: pulumi.Output<string>
  declare readonly name: pulumi.Output<string>
  declare readonly onDelete: pulumi.Output<"delete" | "keep" | undefined>
  declare readonly timeouts: pulumi.Output<{ readonly [P in "create" | "update" | "delete"]?: string } | undefined>
  /** The API's id of the snapshot; `SnapshotRestore` takes it. */
  declare readonly snapshotId: pulumi.Output<number>
  /** The last observed status: creating, available or restoring; absent if the host does not show it. */
  declare readonly status: pulumi.Output<string | undefined>
  /** Its size; absent until it is available. In bytes. */
  declare readonly sizeBytes: pulumi.Output<number | undefined>
  /** The time of its creation; absent if the host does not show it. In ISO 8601. */
  declare readonly createdAt: pulumi.Output<string | undefined>
  /** The account that owns the instance. */
  declare readonly userId: pulumi.Output<number>
}

/** The arguments of {@link ReverseDnsResource}. An input without a default is not managed when it is left out. */
export interface ReverseDnsArgs {
  /** The instance that has the address: `instance.id`. Takes: id of an instance. A change replaces the resource. */
  readonly instanceId: pulumi.Input<string | number>
  /**
   * An address of that instance, such as `instance.ipv4`. Takes: IPv4 or IPv6 address. A change replaces the resource.
   */
  readonly ip: pulumi.Input<string>
  /** The host name that the address resolves to. Takes: string, 1 to 253 characters. A change is applied in place. */
  readonly ptr: pulumi.Input<string>
  /**
   * The effect of destroying, because the API cannot remove a record. keep: leaves the record, with a warning. resetTo:
   * sets it to that name, unless it is destroyed together with its instance. Default: "keep".
   */
  readonly onDelete?: pulumi.Input<"keep" | { readonly resetTo: string }>
}

/** The outputs of ReverseDns, the same in both hosts. */
export abstract class ReverseDnsResource extends VpsResource {
  declare readonly instanceId: pulumi.Output<string>
  declare readonly ip: pulumi.Output<string>
  declare readonly ptr: pulumi.Output<string>
  declare readonly onDelete: pulumi.Output<"keep" | { readonly resetTo: string } | undefined>
  /** The account that owns the instance. */
  declare readonly userId: pulumi.Output<number>
}

/** The arguments of {@link SnapshotRestoreResource}. An input without a default is not managed when it is left out. */
export interface SnapshotRestoreArgs {
  /** The instance whose disk is restored: `instance.id`. Takes: id of an instance. A change replaces the resource. */
  readonly instanceId: pulumi.Input<string | number>
  /**
   * The snapshot: `snapshot.snapshotId`. Takes: integer, 1 or more. A change is recorded for the next restore; change
   * `triggers` with it to restore now.
   */
  readonly snapshotId: pulumi.Input<number>
  /**
   * A change of these values restores again. Creating the resource restores once, with or without them. Takes: array of
   * any values. A change (data loss) restores again, once; is refused without `allowDataLoss`. Removing them does
   * nothing.
   */
  readonly triggers?: pulumi.Input<ReadonlyArray<pulumi.Input<unknown>>>
  /** Allows the restore to overwrite newer data. A restore is refused without it. Default: false. */
  readonly allowDataLoss?: pulumi.Input<boolean>
  /**
   * Timeouts of the phases. Takes: object of durations such as "90s" or "10m": create, update. Default: 10 minutes
   * each.
   */
  readonly timeouts?: pulumi.Input<{ readonly [P in "create" | "update"]?: pulumi.Input<string> }>
}

/** The outputs of SnapshotRestore, the same in both hosts. */
export abstract class SnapshotRestoreResource extends VpsResource {
  declare readonly instanceId: pulumi.Output<string>
  declare readonly snapshotId: pulumi.Output<number>
  declare readonly triggers: pulumi.Output<ReadonlyArray<unknown> | undefined>
  declare readonly allowDataLoss: pulumi.Output<boolean | undefined>
  declare readonly timeouts: pulumi.Output<{ readonly [P in "create" | "update"]?: string } | undefined>
  /** The task of the last restore in the activity feed; absent if the host shows none. */
  declare readonly taskId: pulumi.Output<number | undefined>
  /** The snapshot or backup of the last restore. */
  declare readonly restoredFrom: pulumi.Output<number>
  /** The end of the last restore; absent while it runs. In ISO 8601. */
  declare readonly restoredAt: pulumi.Output<string | undefined>
  /** The account that owns the instance. */
  declare readonly userId: pulumi.Output<number>
}

/** The arguments of {@link BackupRestoreResource}. An input without a default is not managed when it is left out. */
export interface BackupRestoreArgs {
  /** The instance whose disk is restored: `instance.id`. Takes: id of an instance. A change replaces the resource. */
  readonly instanceId: pulumi.Input<string | number>
  /**
   * The backup; `getBackups` lists them. Takes: integer, 1 or more. A change is recorded for the next restore; change
   * `triggers` with it to restore now.
   */
  readonly backupId: pulumi.Input<number>
  /**
   * A change of these values restores again. Creating the resource restores once, with or without them. Takes: array of
   * any values. A change (data loss) restores again, once; is refused without `allowDataLoss`. Removing them does
   * nothing.
   */
  readonly triggers?: pulumi.Input<ReadonlyArray<pulumi.Input<unknown>>>
  /** Allows the restore to overwrite newer data. A restore is refused without it. Default: false. */
  readonly allowDataLoss?: pulumi.Input<boolean>
  /**
   * Timeouts of the phases. Takes: object of durations such as "90s" or "10m": create, update. Default: 10 minutes
   * each.
   */
  readonly timeouts?: pulumi.Input<{ readonly [P in "create" | "update"]?: pulumi.Input<string> }>
}

/** The outputs of BackupRestore, the same in both hosts. */
export abstract class BackupRestoreResource extends VpsResource {
  declare readonly instanceId: pulumi.Output<string>
  declare readonly backupId: pulumi.Output<number>
  declare readonly triggers: pulumi.Output<ReadonlyArray<unknown> | undefined>
  declare readonly allowDataLoss: pulumi.Output<boolean | undefined>
  declare readonly timeouts: pulumi.Output<{ readonly [P in "create" | "update"]?: string } | undefined>
  /** The task of the last restore in the activity feed; absent if the host shows none. */
  declare readonly taskId: pulumi.Output<number | undefined>
  /** The snapshot or backup of the last restore. */
  declare readonly restoredFrom: pulumi.Output<number>
  /** The end of the last restore; absent while it runs. In ISO 8601. */
  declare readonly restoredAt: pulumi.Output<string | undefined>
  /** The account that owns the instance. */
  declare readonly userId: pulumi.Output<number>
}
