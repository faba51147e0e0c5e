/** The identity of a purchase, by which a second run finds the same instance. */
import type { Words } from "../HostWords.ts"
import { createHash } from "node:crypto"

export interface PurchaseIdentity {
  /** The setting `idempotencyScope`; empty when not set. */
  readonly scope: string
  /** The URN with its type written `vps:index:Instance`: the same from the dynamic provider and from the plugin. */
  readonly urn: string
  readonly generation: number
  /** The host's: two hosts share no purchase. */
  readonly prefix: Words["prefix"]
}

/**
 * The `Idempotency-Key` of the purchase. It does not depend on the body, because users correct the body between two
 * attempts, and it must never change between versions of this package, or a retry after an upgrade would buy again.
 */
export const purchaseKey = ({ generation, prefix, scope, urn }: PurchaseIdentity): string =>
  `${prefix}-${createHash("sha256").update(JSON.stringify([scope, urn, generation])).digest("hex")}`

/** The digest of a key that the service shows in `order.config`. */
export const purchaseKeyDigest = (key: string): string => createHash("sha256").update(key).digest("hex")
