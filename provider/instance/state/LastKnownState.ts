/** The facts about an instance that only the state has, because the API does not return them, or not always. */
import type { Properties } from "../../definition/Properties.ts"
import type { BootMode } from "../Definition.ts"

/** undefined means "unknown" or "not managed", never "none". */
export interface LastKnownState {
  readonly hostname?: string | undefined
  readonly os?: string | undefined
  /** The installed SSH key. */
  readonly sshPublicKey?: string | undefined
  /** The SSH key that the next reinstall will install. */
  readonly pendingSshKey?: string | undefined
  /** The current root password; a secret. */
  readonly rootPassword?: string | undefined
  /** The last observed one. */
  readonly bootMode?: BootMode | undefined
  /** The last observed image in the virtual drive. */
  readonly isoId?: number | undefined
  /** Its name, if the program sets it by name. */
  readonly iso?: string | undefined
  /** The triggers at the last reinstall. */
  readonly reinstallTriggers?: ReadonlyArray<unknown> | undefined
  /** The last applied one. */
  readonly passwordRotation?: string | undefined
  /** Empty for an adopted instance. */
  readonly purchaseKey?: string | undefined
  readonly chargeAmount?: number | undefined
  readonly currency?: string | undefined
  /** The service and the key: see `placeOf`. */
  readonly place?: string | undefined
  /** The effect of destroying it. */
  readonly afterDestroy?: string | undefined
  /** Identifies the next update: see `RequestIds.ts`. */
  readonly revision?: string | undefined
  /** Steps of an update that was cut off and then refreshed, so that the outputs no longer differ: see `read`. */
  readonly interrupted?: ReadonlyArray<InterruptedStep> | undefined
}

export type InterruptedStep = "stop" | "reinstall"

const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
const asNumber = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

export const lastKnownState = (outputs: Properties): LastKnownState => ({
  hostname: asText(outputs["hostname"]),
  os: asText(outputs["os"]),
  sshPublicKey: asText(outputs["sshPublicKey"]),
  pendingSshKey: asText(outputs["pendingSshKey"]),
  rootPassword: asText(outputs["rootPassword"]),
  bootMode: asText(outputs["bootMode"]) as BootMode | undefined,
  isoId: asNumber(outputs["isoId"]),
  iso: asText(outputs["iso"]),
  reinstallTriggers: Array.isArray(outputs["reinstallTriggers"]) ? outputs["reinstallTriggers"] : undefined,
  passwordRotation: asText(outputs["passwordRotation"]),
  purchaseKey: asText(outputs["purchaseKey"]),
  chargeAmount: asNumber(outputs["chargeAmount"]),
  currency: asText(outputs["currency"]),
  place: asText(outputs["__service"]),
  afterDestroy: asText(outputs["afterDestroy"]),
  // States of earlier versions have none: their first revision is the purchase.
  revision: asText(outputs["__epoch"]) ?? asText(outputs["createdAt"]),
  interrupted: Array.isArray(outputs["__interrupted"]) ? outputs["__interrupted"] : undefined
})
