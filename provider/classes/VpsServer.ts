/** A server with what belongs to it, as one component; and what servers cost together. */
import type * as pulumi from "@pulumi/pulumi"
import { all, output } from "@pulumi/pulumi/output.js"
import { ComponentResource } from "@pulumi/pulumi/resource.js"
import { type CostLine, type Renewing, summarize } from "../component/Cost.ts"
import type { ReverseDnsArgs, ReverseDnsResource, SnapshotArgs, SnapshotResource } from "./Attached.ts"
import type { InstanceArgs, InstanceResource } from "./Instance.ts"

/** What may be given for a VpsServer: all of an Instance, and what is to be made beside it. */
export interface VpsServerArgs extends InstanceArgs {
  /** The host name that the address resolves to. Default: `hostname`, when it is given; `false`: no record is set. */
  readonly ptr?: pulumi.Input<string> | false
  /** Name of a snapshot to take once the server is deployed. Absent: none. */
  readonly firstSnapshot?: pulumi.Input<string>
}

type Class<Args, Resource> = new(name: string, args: Args, opts?: pulumi.CustomResourceOptions) => Resource

/** The classes of one host. */
export interface Parts {
  readonly Instance: Class<InstanceArgs, InstanceResource>
  readonly ReverseDns: Class<ReverseDnsArgs, ReverseDnsResource>
  readonly Snapshot: Class<SnapshotArgs, SnapshotResource>
}

/** Makes the parts; each host has a class of its own for it. */
export abstract class VpsServerComponent extends ComponentResource {
  readonly instance: InstanceResource
  /** Undefined when there is neither a `ptr` nor a `hostname`. */
  readonly reverseDns: ReverseDnsResource | undefined
  /** Undefined without `firstSnapshot`. */
  readonly snapshot: SnapshotResource | undefined
  readonly ipv4: pulumi.Output<string>
  readonly hostname: pulumi.Output<string | undefined>

  constructor(parts: Parts, name: string, args: VpsServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("vps:index:VpsServer", name, {}, opts)
    const { firstSnapshot, ptr = args.hostname, ...own } = args
    const parent = { parent: this }
    this.instance = new parts.Instance(name, own, parent)
    const { id: instanceId, ipv4 } = this.instance
    this.reverseDns = ptr === undefined || ptr === false
      ? undefined
      : new parts.ReverseDns(name, { instanceId, ip: ipv4, ptr }, parent)
    this.snapshot = firstSnapshot === undefined
      ? undefined
      : new parts.Snapshot(name, { instanceId, name: firstSnapshot }, parent)
    this.ipv4 = ipv4
    this.hostname = this.instance.hostname
    this.registerOutputs({ instanceId, ipv4, hostname: this.hostname })
  }
}

/**
 * What these servers go on costing: the sum of their renewals per billing cycle and currency, for a stack output.
 * Servers that don't renew themselves are left out. Not known in the preview of a purchase.
 *
 * @example
 * export const cost = costSummary([web, database])
 * // [{ billingCycle: "monthly", currency: "EUR", renewals: 14.98, instances: 2 }]
 */
export const costSummary = (
  servers: ReadonlyArray<InstanceResource | VpsServerComponent>
): pulumi.Output<ReadonlyArray<CostLine>> => {
  const parts = servers.map((server): pulumi.Output<Renewing> => {
    const { autoRenew, billingCycle, currency, renewalPrice, status } = "instance" in server ? server.instance : server
    return output({ renewalPrice, billingCycle, currency, autoRenew, status })
  })
  return all(parts).apply(summarize)
}
