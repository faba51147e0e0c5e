/** The identity of a purchase: what makes "run it again" mean the same server. */
import { createHash } from "node:crypto"

export interface PurchaseIdentity {
  /** The setting `idempotencyScope`; empty when not set. */
  readonly scope: string
  /** The URN with its type written `vps:index:Instance`: the same from the dynamic provider and from the plugin. */
  readonly urn: string
  readonly generation: number
}

/**
 * The `Idempotency-Key` of the purchase. It does not depend on the body, because people correct the body between two
 * tries, and it must never change between versions of this package, or a retry after an upgrade would buy again.
 */
export const purchaseKey = ({ generation, scope, urn }: PurchaseIdentity): string =>
  `pulumi-${createHash("sha256").update(JSON.stringify([scope, urn, generation])).digest("hex")}`

/** What the service shows of a key in `order.config`. */
export const purchaseKeyDigest = (key: string): string => createHash("sha256").update(key).digest("hex")
