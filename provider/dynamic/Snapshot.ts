/** The class that programs use: it only hands its arguments to the engine. What happens then is in `../snapshot`. */
import * as pulumi from "@pulumi/pulumi"
import { SNAPSHOT, type SnapshotOnDelete } from "../snapshot/Args.ts"
import { type AttachedTimeouts, handOver } from "./Attached.ts"
import { SNAPSHOT_TEXT } from "./ProviderText.ts"

/** What may be given for a {@link Snapshot}. */
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

/**
 * A snapshot of an instance's disk, taken once: it is looked up by its name before it is asked for again.
 * The service keeps a few per instance (the quota), and charges nothing for them.
 *
 * @example
 * const before = new Snapshot("before-upgrade", { instanceId: web.id, name: "before-upgrade" })
 */
export class Snapshot extends pulumi.CustomResource {
  declare readonly instanceId: pulumi.Output<string>
  declare readonly name: pulumi.Output<string>
  declare readonly onDelete: pulumi.Output<SnapshotOnDelete | undefined>
  declare readonly timeouts: pulumi.Output<Readonly<Record<string, string>> | undefined>
  /** What the API calls it: a number. {@link SnapshotRestore} takes it. */
  declare readonly snapshotId: pulumi.Output<number>
  /** As last seen: creating, available or restoring. */
  declare readonly status: pulumi.Output<string>
  /** Bytes; undefined until it is available. */
  declare readonly sizeBytes: pulumi.Output<number | undefined>
  /** ISO 8601. */
  declare readonly createdAt: pulumi.Output<string>
  /** The account that owns the instance. */
  declare readonly userId: pulumi.Output<number>

  constructor(name: string, args: SnapshotArgs, opts?: pulumi.CustomResourceOptions) {
    const properties = handOver(SNAPSHOT, name, args, opts?.parent, SNAPSHOT_TEXT)
    super("pulumi-nodejs:dynamic/vps:Snapshot", name, properties, opts)
  }
}
