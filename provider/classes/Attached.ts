/** What belongs to an Instance, for programs: the same from both hosts, which only register it differently. */
import type * as pulumi from "@pulumi/pulumi"
import type { OnDelete } from "../reverse-dns/Definition.ts"
import type { SnapshotOnDelete } from "../snapshot/Definition.ts"
import { VpsResource } from "./VpsResource.ts"

/** How long the phases of an attached resource may take: "90s", "10m" (the default of each), "1h30m". */
export interface AttachedTimeouts {
  readonly create?: pulumi.Input<string>
  readonly update?: pulumi.Input<string>
  readonly delete?: pulumi.Input<string>
}

/** What may be given for a ReverseDns. */
export interface ReverseDnsArgs {
  /** The id of the instance that has the address: `instance.id`. A change replaces the resource. */
  readonly instanceId: pulumi.Input<string | number>
  /** An address of that instance, such as `instance.ipv4`; 3 to 45 characters. A change replaces the resource. */
  readonly ip: pulumi.Input<string>
  /** The host name that the address resolves to, 1 to 253 characters. A change is applied in place. */
  readonly ptr: pulumi.Input<string>
  /**
   * What destroying does; the service can't remove a record. "keep" (default): it stays, with a warning.
   * `{resetTo: "host.name"}`: it is set to that name. A change is recorded.
   */
  readonly onDelete?: pulumi.Input<OnDelete>
}

/** The outputs of a ReverseDns. */
export abstract class ReverseDnsResource extends VpsResource {
  declare readonly instanceId: pulumi.Output<string>
  declare readonly ip: pulumi.Output<string>
  declare readonly ptr: pulumi.Output<string>
  declare readonly onDelete: pulumi.Output<OnDelete | undefined>
  /** The account that owns the instance. */
  declare readonly userId: pulumi.Output<number>
}

/** What may be given for a Snapshot. */
export interface SnapshotArgs {
  /** The id of the instance whose disk is recorded: `instance.id`. A change replaces the resource. */
  readonly instanceId: pulumi.Input<string | number>
  /**
   * 1 to 64 characters, unique among the snapshots that this program takes of the instance. A change replaces the
   * resource: a new snapshot is taken, then the old one is deleted; the other way round when the quota is full.
   */
  readonly name: pulumi.Input<string>
  /** What destroying does. "delete" (default), or "keep": it goes on taking a place of the quota. */
  readonly onDelete?: pulumi.Input<SnapshotOnDelete>
  /** 10 minutes each by default. */
  readonly timeouts?: pulumi.Input<AttachedTimeouts>
}

/** The outputs of a Snapshot. */
export abstract class SnapshotResource extends VpsResource {
  declare readonly instanceId: pulumi.Output<string>
  declare readonly name: pulumi.Output<string>
  declare readonly onDelete: pulumi.Output<SnapshotOnDelete | undefined>
  declare readonly timeouts: pulumi.Output<Readonly<Record<string, string>> | undefined>
  /** What the API calls it: a number. SnapshotRestore takes it. */
  declare readonly snapshotId: pulumi.Output<number>
  /** As last seen: creating, available or restoring. */
  declare readonly status: pulumi.Output<string>
  /** Bytes; undefined until it is available. */
  declare readonly sizeBytes: pulumi.Output<number | undefined>
  /** ISO 8601. */
  declare readonly createdAt: pulumi.Output<string>
  /** The account that owns the instance. */
  declare readonly userId: pulumi.Output<number>
}

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

/** What may be given for a SnapshotRestore. */
export interface SnapshotRestoreArgs extends RestoreArgs {
  /** The snapshot: `snapshot.snapshotId`. A change alone is recorded; change `triggers` with it to restore now. */
  readonly snapshotId: pulumi.Input<number>
}

/** What may be given for a BackupRestore. */
export interface BackupRestoreArgs extends RestoreArgs {
  /** The backup, from `getBackups`. A change alone is recorded; change `triggers` with it to restore now. */
  readonly backupId: pulumi.Input<number>
}

/** The outputs of both kinds of restore. */
abstract class RestoreResource extends VpsResource {
  declare readonly instanceId: pulumi.Output<string>
  /** Those that the last restore was for. */
  declare readonly triggers: pulumi.Output<ReadonlyArray<unknown> | undefined>
  declare readonly allowDataLoss: pulumi.Output<boolean | undefined>
  declare readonly timeouts: pulumi.Output<Readonly<Record<string, string>> | undefined>
  /** The last restore in the activity feed. */
  declare readonly taskId: pulumi.Output<number>
  /** The snapshot or backup that the last restore brought back. */
  declare readonly restoredFrom: pulumi.Output<number>
  /** ISO 8601; undefined while it runs. */
  declare readonly restoredAt: pulumi.Output<string | undefined>
  /** The account that owns the instance. */
  declare readonly userId: pulumi.Output<number>
}

/** The outputs of a SnapshotRestore. */
export abstract class SnapshotRestoreResource extends RestoreResource {
  declare readonly snapshotId: pulumi.Output<number>
}

/** The outputs of a BackupRestore. */
export abstract class BackupRestoreResource extends RestoreResource {
  declare readonly backupId: pulumi.Output<number>
}
