/** The inputs of an Instance as the lifecycle works with them. */
import type { DeletionPolicy, WaitFor } from "../Config.ts"
import type { Properties } from "../definition/Properties.ts"
import { type BootMode, FIRST_GENERATION, type PowerState } from "./Definition.ts"

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
  readonly powerState?: PowerState
  readonly bootMode?: BootMode
  readonly isoId?: number
  readonly adoptInstanceId?: number
  readonly generation?: number
  readonly deletionPolicy?: DeletionPolicy
  readonly allowDataLoss?: boolean
  readonly reinstallTriggers?: ReadonlyArray<unknown>
  readonly passwordRotation?: string
  readonly snapshotBefore?: string
  readonly waitFor?: WaitFor
  readonly maxCharge?: number
  readonly timeouts?: Timeouts
  /** The resource's URN with its type written `vps:index:Instance`. */
  readonly __urn: string
  readonly __purchaseKey: string
}

/** Only `check` may let properties through; everything after it may take them as these. */
export const asInputs = (checked: Properties): InstanceInputs => checked as unknown as InstanceInputs

export const generationOf = (inputs: Properties): number =>
  typeof inputs["generation"] === "number" ? inputs["generation"] : FIRST_GENERATION
