/** What an Instance takes and gives, and what a change of each input does: the one table. */
import { DELETION_POLICIES, WAIT_FOR } from "../Config.ts"
import type { Definition, Input, Output, SchemaType } from "../definition/Definition.ts"
import { boolean, integer, number, oneOf, text, timeouts, triggers } from "../definition/ValueTypes.ts"

export const POWER_STATES = ["running", "off"] as const
export type PowerState = typeof POWER_STATES[number]

export const BOOT_MODES = ["disk", "rescue"] as const
export type BootMode = typeof BOOT_MODES[number]

/** The first purchase under a name; another number is another purchase. */
export const FIRST_GENERATION = 1

/** Characters: what the API takes for a snapshot's name, less our "-" and 8 characters. */
const SNAPSHOT_PREFIX_MAX = 55

const INPUTS = {
  serviceId: {
    type: integer(1),
    description: "The plan; `GET /services` lists them. Buying charges the wallet.",
    required: "the plan to buy (GET /services lists them)",
    change: "power cycle",
    effect: "Resized in place: powered off, resized, powered on. An upgrade is charged for the rest of the period, a "
      + "downgrade refunds nothing; the preview shows the charge. A plan of another data centre fails the check."
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
    effect: "Reinstalled; fails the check without `allowDataLoss`."
  },
  sshPublicKey: {
    type: text(1, 4096),
    description: "Public SSH key for root (Linux only).",
    deferred: true,
    change: "nothing",
    effect: "Waits for the next reinstall, see `pendingSshKey`."
  },
  rootPassword: {
    type: text(8, 20),
    description: "Root password to install with.",
    default: "the service makes one, which nobody is shown",
    secret: true,
    deferred: true,
    change: "nothing",
    effect: "Waits for the next reinstall; `passwordRotation` sets a new one now."
  },
  couponCode: {
    type: text(1, 64),
    description: "Coupon for the purchase.",
    change: "nothing",
    effect: "It only counts when buying."
  },
  powerState: {
    type: oneOf(POWER_STATES),
    description: "Whether it is to be on.",
    change: "power cycle",
    effect: "Powered on or off."
  },
  bootMode: {
    type: oneOf(BOOT_MODES),
    description: "What it boots: its disk, or the rescue system (reached through the panel's VNC console).",
    change: "power cycle",
    effect: "Set, and the server reboots."
  },
  isoId: {
    type: integer(1),
    description: "The ISO image in the virtual drive.",
    change: "in place",
    effect: "Mounted, to be booted from at the next start; unmounted when it is removed from the program."
  },
  adoptInstanceId: {
    type: integer(1),
    description: "Takes over this existing instance, as it is, instead of buying one.",
    change: "refused",
    effect: "Naming the server that the resource already holds changes nothing."
  },
  generation: {
    type: integer(FIRST_GENERATION),
    description: "Number of the purchase under this name.",
    default: "1",
    change: "replaced",
    effect: "A new server is bought, and the old one is let go under its deletion policy: the one change that replaces."
  },
  deletionPolicy: {
    type: oneOf(DELETION_POLICIES),
    description:
      "What destroying does; the service has no call that ends a contract. fail: it fails and says what goes "
      + "on being charged. stop: powers off and forgets. forget: leaves it running and forgets. "
      + "`VPS_DELETION_POLICY` wins at destroy time.",
    default: "\"fail\"; \"forget\" for those taken by `adoptInstanceId`",
    change: "nothing"
  },
  allowDataLoss: {
    type: boolean,
    description: "Whether changes that lose what is on the disk may be carried out.",
    default: "false",
    change: "nothing"
  },
  reinstallTriggers: {
    type: triggers,
    description: "Values whose change reinstalls the operating system. Those given first are only recorded.",
    change: "data loss",
    effect: "Reinstalled; fails the check without `allowDataLoss`."
  },
  passwordRotation: {
    type: text(1, 64),
    description: "Any text; the new password is the output `rootPassword`.",
    change: "in place",
    effect: "The root password is reset. What is given when the server is bought or adopted is only recorded."
  },
  snapshotBefore: {
    type: text(1, SNAPSHOT_PREFIX_MAX),
    description: "Takes a snapshot before a resize or a reinstall; its name begins with this.",
    default: "none is taken",
    change: "nothing"
  },
  waitFor: {
    type: oneOf(WAIT_FOR),
    description: "How far creating waits: not at all, until it has an address, or until it runs. What has to be set up "
      + "after deployment (power, boot mode, ISO) waits for it anyway.",
    default: "\"ip\"",
    change: "in place"
  },
  maxCharge: {
    type: number(0),
    description: "The most that buying it, or one resize of it, may charge. More fails in the preview.",
    unit: "units of the wallet's currency",
    change: "nothing"
  },
  timeouts: {
    type: timeouts(["create", "update", "delete"]),
    description: "How long the phases may take.",
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
    description: "A key that waits for the next reinstall.",
    optional: true,
    deferred: true
  },
  userId: { schema: INTEGER, description: "The account that owns it.", stable: true },
  orderId: { schema: INTEGER, description: "Its order.", stable: true },
  status: { schema: STRING, description: "As last seen: running, stopped, rescue, ...; an open set." },
  suspendedReason: { schema: STRING, description: "Why it is suspended, when it is.", optional: true },
  providerId: {
    schema: STRING,
    description: "The machine's name at the host; there once it is deployed.",
    stable: true
  },
  ipv4: {
    schema: STRING,
    description: "There once it is deployed; with `waitFor: \"none\"` after a refresh.",
    stable: true
  },
  autoRenew: { schema: { type: "boolean" }, description: "Whether it renews itself at `expiresAt`." },
  expiresAt: { schema: STRING, description: "Until when it is paid.", unit: "ISO 8601" },
  createdAt: { schema: STRING, description: "When it was bought.", unit: "ISO 8601", stable: true },
  purchaseKey: {
    schema: STRING,
    description: "The Idempotency-Key that bought it; empty when it was adopted.",
    stable: true
  },
  chargeAmount: {
    schema: NUMBER,
    description: "What the purchase charged; undefined when it was adopted.",
    unit: MONEY,
    optional: true,
    stable: true
  },
  renewalPrice: { schema: NUMBER, description: "What each renewal charges.", unit: MONEY },
  billingCycle: { schema: STRING, description: "How often it renews, for example monthly." },
  currency: {
    schema: STRING,
    description: "The wallet's; undefined when no price was asked for.",
    optional: true,
    stable: true
  }
} as const satisfies Record<string, Output>

export type InputName = keyof typeof INPUTS
export type OutputName = keyof typeof OUTPUTS

export const INSTANCE = {
  name: "Instance",
  description: "A virtual private server. Bought once per name, and never replaced but for a changed `generation`.",
  inputs: INPUTS,
  outputs: OUTPUTS
} satisfies Definition

/** For look-ups by a name that may be anything. */
export const INSTANCE_INPUTS: Readonly<Record<string, Input>> = INPUTS
