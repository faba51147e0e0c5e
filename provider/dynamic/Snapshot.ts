/** The class that programs use: it only hands its arguments to the engine. What happens then is in `../snapshot`. */
import type * as pulumi from "@pulumi/pulumi"
import { type SnapshotArgs, SnapshotResource } from "../classes/Attached.ts"
import { SNAPSHOT } from "../snapshot/Definition.ts"
import { propertiesOf } from "./Register.ts"
import { SNAPSHOT_TEXT } from "./ProviderText.ts"

/**
 * A snapshot of an instance's disk, taken once: it is looked up by its name before it is asked for again.
 * The service keeps a few per instance (the quota), and charges nothing for them.
 *
 * @example
 * const before = new Snapshot("before-upgrade", { instanceId: web.id, name: "before-upgrade" })
 */
export class Snapshot extends SnapshotResource {
  /** What policy packs know the class by: see `validateResourceOfType` of `@pulumi/policy`. */
  static readonly __pulumiType = "pulumi-nodejs:dynamic/vps:Snapshot"

  constructor(name: string, args: SnapshotArgs, opts?: pulumi.CustomResourceOptions) {
    const properties = propertiesOf(SNAPSHOT, name, args, opts?.parent, SNAPSHOT_TEXT)
    super(Snapshot.__pulumiType, name, properties, opts)
  }
}
