/** What only state knows of an instance, because the API does not read it back, or not always. */
import type { Properties } from "../../definition/Properties.ts"
import type { BootMode } from "../Definition.ts"

/** undefined is "not known" or "not managed", never "none". */
export interface LastKnownState {
  readonly hostname?: string | undefined
  readonly os?: string | undefined
  /** The key that the system was installed with. */
  readonly sshPublicKey?: string | undefined
  /** A key that waits for the next reinstall. */
  readonly pendingSshKey?: string | undefined
  /** The password that is set on the server; a secret. */
  readonly rootPassword?: string | undefined
  /** As last seen. */
  readonly bootMode?: BootMode | undefined
  /** The image in the virtual drive, as last seen. */
  readonly isoId?: number | undefined
  /** Those that the installed system stands for. */
  readonly reinstallTriggers?: ReadonlyArray<unknown> | undefined
  /** The last one that was carried out. */
  readonly passwordRotation?: string | undefined
  /** Empty for an instance that was taken over by its id. */
  readonly purchaseKey?: string | undefined
  readonly chargeAmount?: number | undefined
  readonly currency?: string | undefined
  /** Names the update that comes next: see `RequestIds.ts`. */
  readonly revision?: string | undefined
}

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
  reinstallTriggers: Array.isArray(outputs["reinstallTriggers"]) ? outputs["reinstallTriggers"] : undefined,
  passwordRotation: asText(outputs["passwordRotation"]),
  purchaseKey: asText(outputs["purchaseKey"]),
  chargeAmount: asNumber(outputs["chargeAmount"]),
  currency: asText(outputs["currency"]),
  // States of the version before have none: what they then name is the purchase.
  revision: asText(outputs["__epoch"]) ?? asText(outputs["createdAt"])
})

/** Host names are the same in any case; keeping the program's spelling keeps diffs quiet. */
export const sameHostname = (left: string | undefined, right: string | undefined): boolean =>
  left?.toLowerCase() === right?.toLowerCase()
