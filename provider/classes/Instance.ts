/** What an Instance takes and gives, for programs: the same from both hosts, which only register it differently. */
import type * as pulumi from "@pulumi/pulumi"
import type { DeletionPolicy, WaitFor } from "../Config.ts"
import type { Timeouts } from "../instance/Args.ts"
import type { BootMode, PowerState } from "../instance/Definition.ts"
import { VpsResource } from "./VpsResource.ts"

/** What may be given for an Instance. What is absent is not managed, unless a default is named. */
export interface InstanceArgs {
  /**
   * The plan: an id of 1 or more from `GET /services`. Buying charges the wallet.
   * A change resizes the server in place: it is powered off and on. An upgrade is charged for the rest of the period,
   * a downgrade refunds nothing; the preview shows the charge. A plan of another data centre fails the preview.
   */
  readonly serviceId: pulumi.Input<number>
  /** Host name, 1 to 253 characters. A change is applied in place. */
  readonly hostname?: pulumi.Input<string>
  /**
   * Slug of the operating system, from the plan's OS options. Absent: the plan's default image.
   * A change reinstalls the server, which loses its data; without `allowDataLoss` it fails the preview.
   */
  readonly os?: pulumi.Input<string>
  /** Public SSH key for root (Linux only). A change waits for the next reinstall: see `pendingSshKey`. */
  readonly sshPublicKey?: pulumi.Input<string>
  /**
   * Root password to install with, 8 to 20 characters; a secret. Absent: the service makes one, which nobody is shown.
   * A change waits for the next reinstall; `passwordRotation` sets a new one now.
   */
  readonly rootPassword?: pulumi.Input<string>
  /** Coupon for the purchase. A change after it has no effect. */
  readonly couponCode?: pulumi.Input<string>
  /** Whether it is to be on. A change powers it on or off. */
  readonly powerState?: pulumi.Input<PowerState>
  /** "disk", or "rescue": the rescue system, reached through the panel's VNC console. A change reboots. */
  readonly bootMode?: pulumi.Input<BootMode>
  /**
   * The ISO image in the virtual drive: an id of 1 or more, to be booted from at the next start. A change is applied in
   * place; removing it unmounts the image.
   */
  readonly isoId?: pulumi.Input<number>
  /**
   * Takes over this existing instance, as it is, instead of buying one. Its `deletionPolicy` is then "forget" by
   * default.
   */
  readonly adoptInstanceId?: pulumi.Input<number>
  /** 1 by default. Another number buys a new server and lets the old one go: the one change that replaces. */
  readonly generation?: pulumi.Input<number>
  /**
   * What destroying does; the service has no call that ends a contract. "fail" (default): it fails and says what goes
   * on being charged. "stop": powers off and forgets. "forget": leaves it running and forgets.
   * `VPS_DELETION_POLICY` wins at destroy time. A change is recorded.
   */
  readonly deletionPolicy?: pulumi.Input<DeletionPolicy>
  /** Whether changes that lose what is on the disk may be carried out. False by default. */
  readonly allowDataLoss?: pulumi.Input<boolean>
  /**
   * Values whose change reinstalls the operating system, which loses its data; without `allowDataLoss` it fails the
   * preview. Those given first are only recorded.
   */
  readonly reinstallTriggers?: pulumi.Input<ReadonlyArray<pulumi.Input<unknown>>>
  /**
   * Any text of 1 to 64 characters. A change resets the root password; the new one is the output `rootPassword`.
   * What is given when the server is bought or adopted is only recorded.
   */
  readonly passwordRotation?: pulumi.Input<string>
  /** Takes a snapshot before a resize or a reinstall; its name begins with this text of 1 to 55 characters. */
  readonly snapshotBefore?: pulumi.Input<string>
  /**
   * How far creating waits: "none", "ip" (default) or "running". With "none" `ipv4` is not known until a refresh.
   * Power, boot mode and ISO can only be set on a deployed server, and wait for that anyway.
   */
  readonly waitFor?: pulumi.Input<WaitFor>
  /** The most that buying it, or one resize, may charge, in units of the wallet's currency. More fails the preview. */
  readonly maxCharge?: pulumi.Input<number>
  /** How long the phases may take, such as "90s" or "10m" (the default of each). */
  readonly timeouts?: pulumi.Input<Timeouts>
}

/** The outputs of an Instance. */
export abstract class InstanceResource extends VpsResource {
  /** The plan that the server is on. */
  declare readonly serviceId: pulumi.Output<number>
  /** Undefined when it is neither given nor shown by the service. */
  declare readonly hostname: pulumi.Output<string | undefined>
  declare readonly os: pulumi.Output<string | undefined>
  /** The key that the system was installed with. */
  declare readonly sshPublicKey: pulumi.Output<string | undefined>
  /** A key that waits for the next reinstall. */
  declare readonly pendingSshKey: pulumi.Output<string | undefined>
  /** The password that is set on the server, as far as it went through here: given, or rotated. Secret. */
  declare readonly rootPassword: pulumi.Output<string | undefined>
  declare readonly couponCode: pulumi.Output<string | undefined>
  /** As last seen, when it is managed. */
  declare readonly powerState: pulumi.Output<PowerState | undefined>
  /** As last seen, when it is managed. */
  declare readonly bootMode: pulumi.Output<BootMode | undefined>
  /** The image that is mounted, when it is managed. */
  declare readonly isoId: pulumi.Output<number | undefined>
  declare readonly adoptInstanceId: pulumi.Output<number | undefined>
  declare readonly generation: pulumi.Output<number | undefined>
  declare readonly deletionPolicy: pulumi.Output<DeletionPolicy | undefined>
  declare readonly allowDataLoss: pulumi.Output<boolean | undefined>
  /** Those that the installed system stands for. */
  declare readonly reinstallTriggers: pulumi.Output<ReadonlyArray<unknown> | undefined>
  /** The last one that was carried out. */
  declare readonly passwordRotation: pulumi.Output<string | undefined>
  declare readonly snapshotBefore: pulumi.Output<string | undefined>
  declare readonly waitFor: pulumi.Output<WaitFor | undefined>
  declare readonly maxCharge: pulumi.Output<number | undefined>
  declare readonly timeouts: pulumi.Output<Timeouts | undefined>
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
  /** What the purchase charged, in units of `currency`; undefined when it was adopted or the order does not tell. */
  declare readonly chargeAmount: pulumi.Output<number | undefined>
  /** What each renewal charges, in units of `currency`. */
  declare readonly renewalPrice: pulumi.Output<number>
  declare readonly billingCycle: pulumi.Output<string>
  /** Currency code of the wallet; undefined when no price was asked for. */
  declare readonly currency: pulumi.Output<string | undefined>
}
