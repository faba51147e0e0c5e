/** The definition of an Instance: its inputs and outputs, and the effect of changing each input. */
import { DELETION_POLICIES, WAIT_FOR } from "../Config.ts"
import {
  boolean,
  type Definition,
  type Input,
  type InputValues,
  integer,
  number,
  oneOf,
  type Output,
  type SchemaType,
  text,
  timeouts,
  triggers
} from "../definition/Definition.ts"
import type { Properties } from "../definition/Properties.ts"

const POWER_STATES = ["running", "off"] as const
export type PowerState = typeof POWER_STATES[number]

const BOOT_MODES = ["disk", "rescue"] as const
export type BootMode = typeof BOOT_MODES[number]

/** The first purchase under a name; another number is another purchase. */
export const FIRST_GENERATION = 1

/** Characters: the API's limit for the name of a snapshot, less our "-" and 8 characters. */
const SNAPSHOT_PREFIX_MAX = 55

const INPUTS = {
  serviceId: {
    type: integer(1),
    description: "The plan; `GET /services` lists the plans. Buying an instance charges the wallet.",
    required: "the plan to buy (GET /services lists the plans). Or set plan, such as \"vps-s\"",
    requiredBeside: [
      "adoptInstanceId",
      "the plan that the adopted instance has, because another one would resize it (`vps instance get` shows it). Or "
      + "set plan, such as \"vps-s\""
    ],
    change: "power cycle",
    effect: "Resizes the instance in place: powers it off, resizes it and powers it on. An upgrade is charged for the "
      + "rest of the period, which is shown before anything is done; a downgrade refunds nothing. A plan of another "
      + "data center is refused."
  },
  plan: {
    type: text(1, 64),
    description: "The plan by its slug, such as \"vps-s\", instead of `serviceId`; `getPlans` lists the slugs.",
    names: "serviceId",
    serverChosen: true,
    change: "power cycle",
    effect: "Resizes the instance like `serviceId`. Nothing changes when a program writes the same plan as `plan` "
      + "instead of `serviceId`, or the other way round."
  },
  hostname: {
    type: text(1, 253),
    description: "Host name.",
    serverChosen: true,
    change: "in place"
  },
  os: {
    type: text(1, 64),
    description: "Slug of the operating system, from the plan's OS options.",
    default: "the plan's default image",
    serverChosen: true,
    change: "data loss",
    effect: "Reinstalls the instance; is refused without `allowDataLoss`."
  },
  sshPublicKey: {
    type: text(1, 4096),
    description: "Public SSH key for root (Linux only).",
    deferred: true,
    change: "nothing",
    effect: "Takes effect at the next reinstall; see `pendingSshKey`."
  },
  rootPassword: {
    type: text(8, 20),
    description: "Root password to install with.",
    default: "the service generates one and does not show it",
    secret: true,
    deferred: true,
    change: "nothing",
    effect: "Takes effect at the next reinstall; `passwordRotation` sets a new password now."
  },
  couponCode: {
    type: text(1, 64),
    description: "Coupon for the purchase.",
    change: "nothing",
    effect: "Has no effect after the purchase."
  },
  powerState: {
    type: oneOf(POWER_STATES),
    description: "The power state of the instance.",
    change: "power cycle",
    effect: "Powers the instance on or off."
  },
  bootMode: {
    type: oneOf(BOOT_MODES),
    description: "The boot device: the disk, or the rescue system (opened in the panel's VNC console).",
    change: "power cycle",
    effect: "Sets the boot mode and reboots the instance."
  },
  isoId: {
    type: integer(1),
    description: "The ISO image in the virtual drive.",
    change: "in place",
    effect: "Mounts the image, to boot from at the next start; removing the input unmounts it."
  },
  iso: {
    type: text(1, 255),
    description: "The ISO image by its name, instead of `isoId`; `getIsos` lists the names. It is looked up when the "
      + "instance exists: a wrong name is an error after the purchase.",
    names: "isoId",
    change: "in place",
    effect: "Mounts the image like `isoId`; removing the input unmounts it."
  },
  adoptInstanceId: {
    type: integer(1),
    description:
      "Adopts this existing instance, unchanged, instead of buying one. The default `deletionPolicy` is then "
      + "\"forget\".",
    change: "refused",
    effect: "Is refused, unless it is the instance that the resource already manages."
  },
  generation: {
    type: integer(FIRST_GENERATION),
    description: "Number of the purchase under this name.",
    default: "1",
    change: "replaced",
    effect: "Buys a new instance, and deletes the old one according to its deletion policy. No other input replaces an "
      + "instance."
  },
  deletionPolicy: {
    type: oneOf(DELETION_POLICIES),
    description: "The effect of destroying, because the API cannot end a contract. fail: fails, and says which charges "
      + "continue. stop: powers the instance off and removes it from the state. forget: leaves it running and removes "
      + "it from the state. `VPS_DELETION_POLICY` overrides it at destroy time.",
    default: "\"fail\"; \"forget\" for instances adopted with `adoptInstanceId`",
    change: "nothing"
  },
  allowDataLoss: {
    type: boolean,
    description: "Allows changes that delete the data on the disk.",
    default: "false",
    change: "nothing"
  },
  reinstallTriggers: {
    type: triggers,
    description: "A change of these values reinstalls the operating system. The first values are only recorded.",
    change: "data loss",
    effect: "Reinstalls the instance; is refused without `allowDataLoss`."
  },
  passwordRotation: {
    type: text(1, 64),
    description: "Any text; a change of it resets the root password. The output `rootPassword` shows the new one.",
    change: "in place",
    effect: "Resets the root password. The value at the purchase or the adoption is only recorded."
  },
  snapshotBefore: {
    type: text(1, SNAPSHOT_PREFIX_MAX),
    description: "Takes a snapshot before a resize or a reinstall; its name begins with this text.",
    default: "no snapshot is taken",
    change: "nothing"
  },
  waitFor: {
    type: oneOf(WAIT_FOR),
    description:
      "The end of the wait in a create: at once, when the instance has an address, or when it runs. Settings "
      + "that need a deployed instance (power, boot mode, ISO) wait for the deployment in any case.",
    default: "\"ip\"",
    change: "in place"
  },
  maxCharge: {
    type: number(0),
    description:
      "Maximum charge for the purchase, or for one resize. A higher charge is refused before anything is bought.",
    unit: "units of the wallet's currency",
    change: "nothing"
  },
  timeouts: {
    type: timeouts(["create", "update", "delete"]),
    description: "Timeouts of the phases.",
    default: "10 minutes each",
    change: "nothing"
  }
} as const satisfies Record<string, Input>

const INTEGER: SchemaType = { type: "integer" }
const NUMBER: SchemaType = { type: "number" }
const STRING: SchemaType = { type: "string" }

const MONEY = "units of `currency`"

const OUTPUTS = {
  pendingSshKey: {
    schema: STRING,
    description: "The SSH key that the next reinstall will install.",
    optional: true,
    deferred: true
  },
  userId: { schema: INTEGER, description: "The account that owns the instance.", stable: true },
  orderId: { schema: INTEGER, description: "The order that bought the instance.", stable: true },
  status: {
    schema: STRING,
    description: "The last observed status: running, stopped, rescue, ...; new values may be added."
  },
  suspendedReason: { schema: STRING, description: "The reason of a suspension; absent otherwise.", optional: true },
  providerId: {
    schema: STRING,
    description: "The host's name of the instance; set once it is deployed.",
    stable: true
  },
  ipv4: {
    schema: STRING,
    description: "The IPv4 address; set once the instance is deployed, with `waitFor: \"none\"` after a refresh.",
    stable: true
  },
  ipv6: {
    schema: STRING,
    description: "The IPv6 address; absent when the instance has none, and like `ipv4` before it is deployed.",
    optional: true,
    stable: true
  },
  autoRenew: {
    schema: { type: "boolean" },
    description: "True when the contract renews automatically at `expiresAt`."
  },
  expiresAt: { schema: STRING, description: "The end of the paid period.", unit: "ISO 8601" },
  createdAt: { schema: STRING, description: "The time of the purchase.", unit: "ISO 8601", stable: true },
  purchaseKey: {
    schema: STRING,
    description: "The Idempotency-Key of the purchase; empty for an adopted instance.",
    stable: true
  },
  chargeAmount: {
    schema: NUMBER,
    description: "The charge for the purchase; absent for an adopted instance, or when the order does not show it.",
    unit: MONEY,
    optional: true,
    stable: true
  },
  renewalPrice: { schema: NUMBER, description: "The charge for each renewal.", unit: MONEY },
  billingCycle: { schema: STRING, description: "The renewal period, for example monthly." },
  afterDestroy: {
    schema: STRING,
    description: "The instance after a destroy: refused (it stays in the state), stopped, or running."
  },
  currency: {
    schema: STRING,
    description: "The wallet's currency code; absent when no price was requested.",
    optional: true,
    stable: true
  }
} as const satisfies Record<string, Output>

export const INSTANCE = {
  name: "Instance",
  description: "A virtual private server. It is bought once per name, never replaced unless `generation` changes, and "
    + "never dropped silently: running a failed update again continues with the same instance.",
  inputs: INPUTS,
  outputs: OUTPUTS
} satisfies Definition

/** For look-ups by any name. */
export const INSTANCE_INPUTS: Readonly<Record<string, Input>> = INPUTS

/** The inputs after `check`. */
export interface InstanceInputs extends InputValues<typeof INSTANCE> {
  /** The resource's URN with its type written `vps:index:Instance`. */
  readonly __urn: string
  readonly __purchaseKey: string
  /** The plan as the program names it, and the `serviceId` that `check` found for it: see `PlanName.ts`. */
  readonly __plan?: string
  readonly __planId?: number
}

/** The phases' timeouts: "90s", "10m", "1h30m". */
export type Timeouts = NonNullable<InstanceInputs["timeouts"]>

/** Only properties that `check` has accepted may be passed. */
export const asInputs = (checked: Properties): InstanceInputs => checked as unknown as InstanceInputs

export const generationOf = (inputs: Properties): number =>
  typeof inputs["generation"] === "number" ? inputs["generation"] : FIRST_GENERATION
