/** Generated from the definitions by `npm run generate`. Do not edit. */
import type * as pulumi from "@pulumi/pulumi"
import { VpsResource } from "./VpsResource.ts"

/** The arguments of {@link InstanceResource}. An input without a default is not managed when it is left out. */
export interface InstanceArgs {
  /**
   * The plan; `GET /services` lists the plans. Buying an instance charges the wallet. Takes: integer, 1 or more. A
   * change (power cycle) resizes the instance in place: powers it off, resizes it and powers it on. An upgrade is
   * charged for the rest of the period, which is shown before anything is done; a downgrade refunds nothing. A plan of
   * another data center is refused.
   */
  readonly serviceId?: pulumi.Input<number>
  /**
   * The plan by its slug, such as "vps-s", instead of `serviceId`; `getPlans` lists the slugs. Takes: string, 1 to 64
   * characters. A change (power cycle) resizes the instance like `serviceId`. Nothing changes when a program writes the
   * same plan as `plan` instead of `serviceId`, or the other way round.
   */
  readonly plan?: pulumi.Input<string>
  /** Host name. Takes: string, 1 to 253 characters. A change is applied in place. */
  readonly hostname?: pulumi.Input<string>
  /**
   * Slug of the operating system, from the plan's OS options. Takes: string, 1 to 64 characters. Default: the plan's
   * default image. A change (data loss) reinstalls the instance; is refused without `allowDataLoss`.
   */
  readonly os?: pulumi.Input<string>
  /**
   * Public SSH key for root (Linux only). Takes: string, 1 to 4096 characters. A change takes effect at the next
   * reinstall; see `pendingSshKey`.
   */
  readonly sshPublicKey?: pulumi.Input<string>
  /**
   * Root password to install with. Takes: string, 8 to 20 characters. Default: the service generates one and does not
   * show it. A change takes effect at the next reinstall; `passwordRotation` sets a new password now. Stored as a
   * secret.
   */
  readonly rootPassword?: pulumi.Input<string>
  /** Coupon for the purchase. Takes: string, 1 to 64 characters. A change has no effect after the purchase. */
  readonly couponCode?: pulumi.Input<string>
  /** The power state of the instance. A change (power cycle) powers the instance on or off. */
  readonly powerState?: pulumi.Input<"running" | "off">
  /**
   * The boot device: the disk, or the rescue system (opened in the panel's VNC console). A change (power cycle) sets
   * the boot mode and reboots the instance.
   */
  readonly bootMode?: pulumi.Input<"disk" | "rescue">
  /**
   * The ISO image in the virtual drive. Takes: integer, 1 or more. A change (in place) mounts the image, to boot from
   * at the next start; removing the input unmounts it.
   */
  readonly isoId?: pulumi.Input<number>
  /**
   * The ISO image by its name, instead of `isoId`; `getIsos` lists the names. It is looked up when the instance exists:
   * a wrong name is an error after the purchase. Takes: string, 1 to 255 characters. A change (in place) mounts the
   * image like `isoId`; removing the input unmounts it.
   */
  readonly iso?: pulumi.Input<string>
  /**
   * Adopts this existing instance, unchanged, instead of buying one. The default `deletionPolicy` is then "forget".
   * Takes: integer, 1 or more. A change (refused) is refused, unless it is the instance that the resource already
   * manages.
   */
  readonly adoptInstanceId?: pulumi.Input<number>
  /**
   * Number of the purchase under this name. Takes: integer, 1 or more. Default: 1. A change (replaced) buys a new
   * instance, and deletes the old one according to its deletion policy. No other input replaces an instance.
   */
  readonly generation?: pulumi.Input<number>
  /**
   * The effect of destroying, because the API cannot end a contract. fail: fails, and says which charges continue.
   * stop: powers the instance off and removes it from the state. forget: leaves it running and removes it from the
   * state. `VPS_DELETION_POLICY` overrides it at destroy time. Default: "fail"; "forget" for instances adopted with
   * `adoptInstanceId`.
   */
  readonly deletionPolicy?: pulumi.Input<"fail" | "stop" | "forget">
  /** Allows changes that delete the data on the disk. Default: false. */
  readonly allowDataLoss?: pulumi.Input<boolean>
  /**
   * A change of these values reinstalls the operating system. The first values are only recorded. Takes: array of any
   * values. A change (data loss) reinstalls the instance; is refused without `allowDataLoss`.
   */
  readonly reinstallTriggers?: pulumi.Input<ReadonlyArray<pulumi.Input<unknown>>>
  /**
   * Any text; a change of it resets the root password. The output `rootPassword` shows the new one. Takes: string, 1 to
   * 64 characters. A change (in place) resets the root password. The value at the purchase or the adoption is only
   * recorded.
   */
  readonly passwordRotation?: pulumi.Input<string>
  /**
   * Takes a snapshot before a resize or a reinstall; its name begins with this text. Takes: string, 1 to 55 characters.
   * Default: no snapshot is taken.
   */
  readonly snapshotBefore?: pulumi.Input<string>
  /**
   * The end of the wait in a create: at once, when the instance has an address, or when it runs. Settings that need a
   * deployed instance (power, boot mode, ISO) wait for the deployment in any case. Default: "ip". A change is applied
   * in place.
   */
  readonly waitFor?: pulumi.Input<"none" | "ip" | "running">
  /**
   * Maximum charge for the purchase, or for one resize. A higher charge is refused before anything is bought. Takes:
   * number, 0 or more, in units of the wallet's currency.
   */
  readonly maxCharge?: pulumi.Input<number>
  /**
   * Timeouts of the phases. Takes: object of durations such as "90s" or "10m": create, update, delete. Default: 10
   * minutes each.
   */
  readonly timeouts?: pulumi.Input<{ readonly [P in "create" | "update" | "delete"]?: pulumi.Input<string> }>
}

/** The outputs of Instance, the same in both hosts. */
export abstract class InstanceResource extends VpsResource {
  declare readonly serviceId: pulumi.Output<number>
  declare readonly plan: pulumi.Output<string | undefined>
  declare readonly hostname: pulumi.Output<string | undefined>
  declare readonly os: pulumi.Output<string | undefined>
  declare readonly sshPublicKey: pulumi.Output<string | undefined>
  declare readonly rootPassword: pulumi.Output<string | undefined>
  declare readonly couponCode: pulumi.Output<string | undefined>
  declare readonly powerState: pulumi.Output<"running" | "off" | undefined>
  declare readonly bootMode: pulumi.Output<"disk" | "rescue" | undefined>
  declare readonly isoId: pulumi.Output<number | undefined>
  declare readonly iso: pulumi.Output<string | undefined>
  declare readonly adoptInstanceId: pulumi.Output<number | undefined>
  declare readonly generation: pulumi.Output<number | undefined>
  declare readonly deletionPolicy: pulumi.Output<"fail" | "stop" | "forget" | undefined>
  declare readonly allowDataLoss: pulumi.Output<boolean | undefined>
  declare readonly reinstallTriggers: pulumi.Output<ReadonlyArray<unknown> | undefined>
  declare readonly passwordRotation: pulumi.Output<string | undefined>
  declare readonly snapshotBefore: pulumi.Output<string | undefined>
  declare readonly waitFor: pulumi.Output<"none" | "ip" | "running" | undefined>
  declare readonly maxCharge: pulumi.Output<number | undefined>
  declare readonly timeouts: pulumi.Output<{ readonly [P in "create" | "update" | "delete"]?: string } | undefined>
  /** The SSH key that the next reinstall will install. */
  declare readonly pendingSshKey: pulumi.Output<string | undefined>
  /** The account that owns the instance. */
  declare readonly userId: pulumi.Output<number>
  /** The order that bought the instance. */
  declare readonly orderId: pulumi.Output<number>
  /** The last observed status: running, stopped, rescue, ...; new values may be added. */
  declare readonly status: pulumi.Output<string>
  /** The reason of a suspension; absent otherwise. */
  declare readonly suspendedReason: pulumi.Output<string | undefined>
  /** The host's name of the instance; set once it is deployed. */
  declare readonly providerId: pulumi.Output<string>
  /** The IPv4 address; set once the instance is deployed, with `waitFor: "none"` after a refresh. */
  declare readonly ipv4: pulumi.Output<string>
  /** The IPv6 address; absent when the instance has none, and like `ipv4` before it is deployed. */
  declare readonly ipv6: pulumi.Output<string | undefined>
  /** True when the contract renews automatically at `expiresAt`. */
  declare readonly autoRenew: pulumi.Output<boolean>
  /** The end of the paid period. In ISO 8601. */
  declare readonly expiresAt: pulumi.Output<string>
  /** The time of the purchase. In ISO 8601. */
  declare readonly createdAt: pulumi.Output<string>
  /** The Idempotency-Key of the purchase; empty for an adopted instance. */
  declare readonly purchaseKey: pulumi.Output<string>
  /**
   * The charge for the purchase; absent for an adopted instance, or when the order does not show it. In units of
   * `currency`.
   */
  declare readonly chargeAmount: pulumi.Output<number | undefined>
  /** The charge for each renewal. In units of `currency`. */
  declare readonly renewalPrice: pulumi.Output<number>
  /** The renewal period, for example monthly. */
  declare readonly billingCycle: pulumi.Output<string>
  /** The instance after a destroy: refused (it stays in the state), stopped, or running. */
  declare readonly afterDestroy: pulumi.Output<string>
  /** The wallet's currency code; absent when no price was requested. */
  declare readonly currency: pulumi.Output<string | undefined>
}
