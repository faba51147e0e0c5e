/** The class that programs use: it only hands its arguments to the engine. What happens then is in `../instance`. */
import * as pulumi from "@pulumi/pulumi"
import type { DeletionPolicy, WaitFor } from "../Config.ts"
import type { Timeouts } from "../instance/Args.ts"
import { refusePlainKey } from "./PlainKey.ts"
import { INSTANCE_TEXT } from "./ProviderText.ts"

/** What may be given for an {@link Instance}. */
export interface InstanceArgs {
  /**
   * The plan: an id of 1 or more from `GET /services`. Buying charges the wallet.
   * A change is refused by this version, which can't resize a server.
   */
  readonly serviceId: pulumi.Input<number>
  /** Host name, 1 to 253 characters. Absent: not managed. A change is applied in place. */
  readonly hostname?: pulumi.Input<string>
  /**
   * Slug of the operating system, from the plan's OS options. Absent: the plan's default image.
   * A change is refused by this version: it would need a reinstall, which deletes all data.
   */
  readonly os?: pulumi.Input<string>
  /** Public SSH key for root (Linux only). A change waits for the next reinstall: see `pendingSshKey`. */
  readonly sshPublicKey?: pulumi.Input<string>
  /**
   * First root password, 8 to 20 characters; a secret. Absent: the service makes one.
   * A change is recorded and does not reach the running server.
   */
  readonly rootPassword?: pulumi.Input<string>
  /** Coupon for the purchase. A change after it has no effect. */
  readonly couponCode?: pulumi.Input<string>
  /** Takes over this existing instance instead of buying one. Its `deletionPolicy` is then "forget" by default. */
  readonly adoptInstanceId?: pulumi.Input<number>
  /** 1 by default. Another number buys a new server and lets the old one go: the one change that replaces. */
  readonly generation?: pulumi.Input<number>
  /**
   * What destroying does; the service has no call that ends a contract. "fail" (default): it fails and says what goes
   * on being charged. "stop": powers off and forgets. "forget": leaves it running and forgets.
   * `VPS_DELETION_POLICY` wins at destroy time. A change is recorded.
   */
  readonly deletionPolicy?: pulumi.Input<DeletionPolicy>
  /** How far creating waits: "none", "ip" (default) or "running". With "none" `ipv4` is not known until a refresh. */
  readonly waitFor?: pulumi.Input<WaitFor>
  /** The most that the purchase may charge, in units of the wallet's currency. More fails in the preview. */
  readonly maxCharge?: pulumi.Input<number>
  /** How long the phases may take, such as "90s" or "10m" (the default of each). */
  readonly timeouts?: pulumi.Input<Timeouts>
}

/**
 * A virtual private server. It is bought once per name, never replaced (but for a changed `generation`), and never
 * silently dropped: a failed `up` that is run again goes on with the same server.
 *
 * @example
 * const web = new Instance("web", { serviceId: 1, hostname: "web.example.com", deletionPolicy: "stop", maxCharge: 10 })
 * export const address = web.ipv4
 */
export class Instance extends pulumi.CustomResource {
  /** The plan that the server is on. */
  declare readonly serviceId: pulumi.Output<number>
  /** Undefined when it is neither given nor shown by the service. */
  declare readonly hostname: pulumi.Output<string | undefined>
  declare readonly os: pulumi.Output<string | undefined>
  /** The key that the system was installed with. */
  declare readonly sshPublicKey: pulumi.Output<string | undefined>
  /** A key that waits for the next reinstall. */
  declare readonly pendingSshKey: pulumi.Output<string | undefined>
  /** Secret. */
  declare readonly rootPassword: pulumi.Output<string | undefined>
  /** The account that owns the instance. */
  declare readonly userId: pulumi.Output<number>
  declare readonly orderId: pulumi.Output<number>
  /** As last seen: running, stopped, ...; an open set. */
  declare readonly status: pulumi.Output<string>
  declare readonly suspendedReason: pulumi.Output<string | undefined>
  declare readonly providerId: pulumi.Output<string>
  /** With `waitFor: "none"` undefined until a refresh sees it. */
  declare readonly ipv4: pulumi.Output<string>
  declare readonly autoRenew: pulumi.Output<boolean>
  /** ISO 8601. */
  declare readonly expiresAt: pulumi.Output<string>
  /** ISO 8601. */
  declare readonly createdAt: pulumi.Output<string>
  /** The Idempotency-Key that bought it; empty when it was adopted. */
  declare readonly purchaseKey: pulumi.Output<string>
  /** What the purchase charged, in units of `currency`; undefined when it was adopted. */
  declare readonly chargeAmount: pulumi.Output<number | undefined>
  /** What each renewal charges, in units of `currency`. */
  declare readonly renewalPrice: pulumi.Output<number>
  declare readonly billingCycle: pulumi.Output<string>
  /** Currency code of the wallet; undefined when no price was asked for. */
  declare readonly currency: pulumi.Output<string | undefined>

  constructor(name: string, args: InstanceArgs, opts?: pulumi.CustomResourceOptions) {
    refusePlainKey()
    const properties = {
      ...OUTPUTS,
      ...args,
      rootPassword: args.rootPassword === undefined ? undefined : pulumi.secret(args.rootPassword),
      // The purchase key is made from this URN: it names the type of the plugin, so that moving there buys nothing.
      __urn: pulumi.createUrn(name, "vps:index:Instance", opts?.parent),
      __provider: INSTANCE_TEXT
    }
    super(
      "pulumi-nodejs:dynamic/vps:Instance",
      name,
      properties,
      pulumi.mergeOptions(opts, { additionalSecretOutputs: ["rootPassword"] })
    )
  }
}

/** The engine fills only the outputs that it is asked for. */
const OUTPUTS = {
  hostname: undefined,
  os: undefined,
  sshPublicKey: undefined,
  pendingSshKey: undefined,
  userId: undefined,
  orderId: undefined,
  status: undefined,
  suspendedReason: undefined,
  providerId: undefined,
  ipv4: undefined,
  autoRenew: undefined,
  expiresAt: undefined,
  createdAt: undefined,
  purchaseKey: undefined,
  chargeAmount: undefined,
  renewalPrice: undefined,
  billingCycle: undefined,
  currency: undefined
}
