/** The operator's policy for creates. */
import * as Context from "effect/Context"
import type { CreateRates } from "../ratelimit/CreateRateLimits.ts"

export interface OrderPolicy {
  /** The rate limits for creates per account; undefined if rate limits are off. */
  readonly createRates: CreateRates | undefined
  /** An idempotency key that is reused with another body is rejected, instead of answered with the original. */
  readonly strict: boolean
}

/** Permissive unless configured. */
export const OrderPolicy = Context.Reference<OrderPolicy>("pulumi-vps/service/OrderPolicy", {
  defaultValue: () => ({ createRates: undefined, strict: false })
})
