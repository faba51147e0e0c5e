/** An instance with its attached resources, as one component; and the total cost of instances. */
import type * as pulumi from "@pulumi/pulumi"
import { isEnded } from "../api/Errors.ts"
import { minor } from "../purchase/Money.ts"
import { all, output } from "@pulumi/pulumi/output.js"
import { ComponentResource } from "@pulumi/pulumi/resource.js"
import type { ReverseDnsArgs, ReverseDnsResource, SnapshotArgs, SnapshotResource } from "./Attached.ts"
import type { InstanceArgs, InstanceResource } from "./Instance.ts"

/** The relevant outputs of an instance. */
export interface Renewing {
  readonly renewalPrice: number
  readonly billingCycle: string
  readonly currency?: string | undefined
  readonly autoRenew: boolean
  readonly status: string
}

/** The renewals of one billing cycle and one currency. */
export interface CostLine {
  /** For example "monthly". */
  readonly billingCycle: string
  /** The wallet's; "?" when no price was requested, as with a key that cannot buy. */
  readonly currency: string
  /** The charge per cycle for all of them, in units of `currency`. */
  readonly renewals: number
  /** The number of instances. */
  readonly instances: number
}

const UNKNOWN_CURRENCY = "?"

/** Sums per billing cycle and currency, in that order; an instance that does not renew costs nothing more. */
export const summarize = (instances: ReadonlyArray<Renewing>): ReadonlyArray<CostLine> => {
  const renewing = instances.filter(({ autoRenew, status }) => autoRenew && !isEnded(status))
  const groups = Map.groupBy(
    renewing,
    ({ billingCycle, currency }) => JSON.stringify([billingCycle, currency ?? UNKNOWN_CURRENCY])
  )
  return [...groups].toSorted(([a], [b]) => a < b ? -1 : 1).map(([key, members]) => {
    const [billingCycle, currency] = JSON.parse(key) as [string, string]
    const total = members.reduce((sum, { renewalPrice }) => sum + minor(renewalPrice), 0)
    return { billingCycle, currency, renewals: total / 100, instances: members.length }
  })
}

/** The arguments of a VpsServer: those of an Instance, and of the resources attached to it. */
export interface VpsServerArgs extends InstanceArgs {
  /** The host name that the address resolves to. Default: `hostname`, if set; `false`: no record is set. */
  readonly ptr?: pulumi.Input<string> | false
  /** Name of a snapshot to take once the instance is deployed. Default: no snapshot is taken. */
  readonly firstSnapshot?: pulumi.Input<string>
}

type Class<Args, Resource> = new(name: string, args: Args, opts?: pulumi.CustomResourceOptions) => Resource

/** The classes of one host. */
export interface Parts {
  readonly Instance: Class<InstanceArgs, InstanceResource>
  readonly ReverseDns: Class<ReverseDnsArgs, ReverseDnsResource>
  readonly Snapshot: Class<SnapshotArgs, SnapshotResource>
}

/** Creates the parts; each host has its own subclass. */
export abstract class VpsServerComponent extends ComponentResource {
  readonly instance: InstanceResource
  /** Undefined without `ptr` and `hostname`. */
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
 * The recurring cost of these instances: the sum of their renewals per billing cycle and currency, for a stack output.
 * Instances that do not renew are left out. Unknown in the preview of a purchase.
 *
 * @example
 * export const cost = costSummary([web, database])
 * // [{ billingCycle: "monthly", currency: "EUR", renewals: 14.98, instances: 2 }]
 */
export const costSummary = (
  instances: ReadonlyArray<InstanceResource | VpsServerComponent>
): pulumi.Output<ReadonlyArray<CostLine>> => {
  const parts = instances.map((one): pulumi.Output<Renewing> => {
    const { autoRenew, billingCycle, currency, renewalPrice, status } = "instance" in one ? one.instance : one
    return output({ renewalPrice, billingCycle, currency, autoRenew, status })
  })
  return all(parts).apply(summarize)
}
