/**
 * The resources, served by the plugin. Each says under which type the dynamic provider had it: a stack that moves over
 * finds its resources unchanged.
 */
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
import { optionsOf, propertiesOf, typeOf } from "./Register.ts"

/**
 * A virtual private server. It is bought once per name, never replaced (but for a changed `generation`), and never
 * silently dropped: a failed `up` that is run again goes on with the same server.
 *
 * @example
 * const web = new Instance("web", { serviceId: 1, hostname: "web.example.com", deletionPolicy: "stop", maxCharge: 10 })
 * export const address = web.ipv4
 */
export class Instance extends InstanceResource {
  /** What policy packs know the class by: see `validateResourceOfType` of `@pulumi/policy`. */
  static readonly __pulumiType = typeOf(INSTANCE)

  /** One that exists, to look at: `id` is the number of an instance. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): Instance {
    return new Instance(name, undefined, { ...opts, id })
  }

  constructor(name: string, args: InstanceArgs | undefined, opts?: pulumi.CustomResourceOptions) {
    super(Instance.__pulumiType, name, propertiesOf(INSTANCE, args), optionsOf(INSTANCE, opts))
  }
}

/**
 * A snapshot of an instance's disk, taken once: it is looked up by its name before it is asked for again.
 * The service keeps a few per instance (the quota), and charges nothing for them.
 *
 * @example
 * const before = new Snapshot("before-upgrade", { instanceId: web.id, name: "before-upgrade" })
 */
export class Snapshot extends SnapshotResource {
  /** What policy packs know the class by: see `validateResourceOfType` of `@pulumi/policy`. */
  static readonly __pulumiType = typeOf(SNAPSHOT)

  /** One that exists, to look at: `id` is `<instance>/<snapshot>`. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): Snapshot {
    return new Snapshot(name, undefined, { ...opts, id })
  }

  constructor(name: string, args: SnapshotArgs | undefined, opts?: pulumi.CustomResourceOptions) {
    super(Snapshot.__pulumiType, name, propertiesOf(SNAPSHOT, args), optionsOf(SNAPSHOT, opts))
  }
}

/**
 * The reverse DNS (PTR) record of an address. The service can set one but not read it back, so a record that somebody
 * else changed is not noticed.
 *
 * @example
 * new ReverseDns("web", { instanceId: web.id, ip: web.ipv4, ptr: "web.example.com" })
 */
export class ReverseDns extends ReverseDnsResource {
  /** What policy packs know the class by: see `validateResourceOfType` of `@pulumi/policy`. */
  static readonly __pulumiType = typeOf(REVERSE_DNS)

  /** One that exists, to look at: `id` is `<instance>/<address>/<host name>`. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): ReverseDns {
    return new ReverseDns(name, undefined, { ...opts, id })
  }

  constructor(name: string, args: ReverseDnsArgs | undefined, opts?: pulumi.CustomResourceOptions) {
    super(ReverseDns.__pulumiType, name, propertiesOf(REVERSE_DNS, args), optionsOf(REVERSE_DNS, opts))
  }
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
export class SnapshotRestore extends SnapshotRestoreResource {
  /** What policy packs know the class by: see `validateResourceOfType` of `@pulumi/policy`. */
  static readonly __pulumiType = typeOf(SNAPSHOT_RESTORE)

  constructor(name: string, args: SnapshotRestoreArgs, opts?: pulumi.CustomResourceOptions) {
    super(SnapshotRestore.__pulumiType, name, propertiesOf(SNAPSHOT_RESTORE, args), optionsOf(SNAPSHOT_RESTORE, opts))
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
  static readonly __pulumiType = typeOf(BACKUP_RESTORE)

  constructor(name: string, args: BackupRestoreArgs, opts?: pulumi.CustomResourceOptions) {
    super(BackupRestore.__pulumiType, name, propertiesOf(BACKUP_RESTORE, args), optionsOf(BACKUP_RESTORE, opts))
  }
}

/**
 * A server, the PTR record of its address, and a first snapshot: the convenient way. Its parts are ordinary resources
 * with its name: `instance`, `reverseDns`, `snapshot`.
 *
 * @example
 * const web = new VpsServer("web", { serviceId: 1, hostname: "web.example.com", firstSnapshot: "as-installed" })
 * export const address = web.ipv4
 */
export class VpsServer extends VpsServerComponent {
  constructor(name: string, args: VpsServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super({ Instance, ReverseDns, Snapshot }, name, args, opts)
  }
}
