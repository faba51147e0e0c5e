/** A server with what belongs to it, as one component; and what servers cost together. */
import * as pulumi from "@pulumi/pulumi"
import { type CostLine, type Renewing, summarise } from "../component/Cost.ts"
import { Instance, type InstanceArgs } from "./Instance.ts"
import { ReverseDns } from "./ReverseDns.ts"
import { Snapshot } from "./Snapshot.ts"

/** What may be given for a {@link VpsServer}: all of an Instance, and what is to be made beside it. */
export interface VpsServerArgs extends InstanceArgs {
  /** The host name that the address resolves to. Default: `hostname`, when it is given; `false`: no record is set. */
  readonly ptr?: pulumi.Input<string> | false
  /** Name of a snapshot to take once the server is deployed. Absent: none. */
  readonly firstSnapshot?: pulumi.Input<string>
}

/**
 * A server, the PTR record of its address, and a first snapshot: the convenient way. Its parts are ordinary resources
 * with its name: `instance`, `reverseDns`, `snapshot`.
 *
 * @example
 * const web = new VpsServer("web", { serviceId: 1, hostname: "web.example.com", firstSnapshot: "as-installed" })
 * export const address = web.ipv4
 */
export class VpsServer extends pulumi.ComponentResource {
  readonly instance: Instance
  /** Undefined when there is neither a `ptr` nor a `hostname`. */
  readonly reverseDns: ReverseDns | undefined
  /** Undefined without `firstSnapshot`. */
  readonly snapshot: Snapshot | undefined
  readonly ipv4: pulumi.Output<string>
  readonly hostname: pulumi.Output<string | undefined>

  constructor(name: string, args: VpsServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("vps:index:VpsServer", name, {}, opts)
    const { firstSnapshot, ptr = args.hostname, ...own } = args
    const parent = { parent: this }
    this.instance = new Instance(name, own, parent)
    const { id: instanceId, ipv4 } = this.instance
    this.reverseDns = ptr === undefined || ptr === false
      ? undefined
      : new ReverseDns(name, { instanceId, ip: ipv4, ptr }, parent)
    this.snapshot = firstSnapshot === undefined
      ? undefined
      : new Snapshot(name, { instanceId, name: firstSnapshot }, parent)
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
  servers: ReadonlyArray<Instance | VpsServer>
): pulumi.Output<ReadonlyArray<CostLine>> => {
  const parts = servers.map((server): pulumi.Output<Renewing> => {
    const { autoRenew, billingCycle, currency, renewalPrice, status } = "instance" in server ? server.instance : server
    return pulumi.output({ renewalPrice, billingCycle, currency, autoRenew, status })
  })
  return pulumi.all(parts).apply(summarise)
}
