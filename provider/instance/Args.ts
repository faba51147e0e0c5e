/** The inputs of an Instance: the one table that says what may be given, and what a change of it does. */
import { DELETION_POLICIES, type DeletionPolicy, WAIT_FOR, type WaitFor } from "../Config.ts"
import { parseDuration } from "../Duration.ts"
import { type Field, integer, number, text, word } from "../Fields.ts"
import type { Properties } from "../Properties.ts"

/** How long the phases may take: "90s", "10m", "1h30m". */
export interface Timeouts {
  readonly create?: string
  readonly update?: string
  readonly delete?: string
}

/** Checked inputs: what the lifecycle works with. */
export interface InstanceInputs {
  readonly serviceId: number
  readonly hostname?: string
  readonly os?: string
  readonly sshPublicKey?: string
  readonly rootPassword?: string
  readonly couponCode?: string
  readonly adoptInstanceId?: number
  readonly generation?: number
  readonly deletionPolicy?: DeletionPolicy
  readonly waitFor?: WaitFor
  readonly maxCharge?: number
  readonly timeouts?: Timeouts
  /** The resource's URN with its type written `vps:index:Instance`. */
  readonly __urn: string
  readonly __purchaseKey: string
}

/** Only `check` may let properties through; everything after it may take them as these. */
export const asInputs = (checked: Properties): InstanceInputs => checked as unknown as InstanceInputs

/** The first purchase under a name; another number is another purchase. */
const FIRST_GENERATION = 1

export const generationOf = (inputs: Properties): number =>
  typeof inputs["generation"] === "number" ? inputs["generation"] : FIRST_GENERATION

const timeouts = (value: unknown): string | undefined => {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    return "must be an object such as {create: \"10m\"}"
  }
  for (const [phase, duration] of Object.entries(value)) {
    if (!["create", "update", "delete"].includes(phase)) {
      return `has no part ${phase}; there are create, update and delete`
    }
    if (typeof duration !== "string" || !parseDuration(duration)) {
      return `${phase} must be a duration such as "90s" or "10m"`
    }
  }
  return undefined
}

/** In the order in which problems are reported. Bounds are those of the API. */
export const INSTANCE_FIELDS: Readonly<Record<string, Field>> = {
  serviceId: { problem: integer(1), required: "the plan to buy (GET /services lists them)", change: "refused" },
  hostname: { problem: text(1, 253), change: "in place" },
  os: { problem: text(1, 64), change: "refused" },
  sshPublicKey: { problem: text(1, 4096), change: "recorded" },
  rootPassword: { problem: text(8, 20), change: "recorded", secret: true },
  couponCode: { problem: text(1, 64), change: "recorded" },
  adoptInstanceId: { problem: integer(1), change: "refused" },
  generation: { problem: integer(FIRST_GENERATION), change: "replaced" },
  deletionPolicy: { problem: word(DELETION_POLICIES), change: "recorded" },
  waitFor: { problem: word(WAIT_FOR), change: "in place" },
  maxCharge: { problem: number(0), change: "recorded" },
  timeouts: { problem: timeouts, change: "recorded" }
}

/** Inputs of later versions: named, so that nobody takes silence for support. */
export const LATER_FIELDS: ReadonlyArray<string> = [
  "powerState",
  "bootMode",
  "isoId",
  "allowDataLoss",
  "reinstallTriggers",
  "passwordRotation",
  "snapshotBefore"
]
