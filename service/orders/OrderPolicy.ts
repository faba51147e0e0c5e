/** What the operator has decided about creates. */
import * as Context from "effect/Context"
import type { CreateRates } from "../ratelimit/CreateLimit.ts"

export interface OrderPolicy {
  /** How often an account may create; undefined when rate limits are off. */
  readonly createRates: CreateRates | undefined
  /** Whether a key that comes again with another body is refused, instead of answered with the original. */
  readonly strict: boolean
}

/** As open as it can be, unless configured. */
export const OrderPolicy = Context.Reference<OrderPolicy>("pulumi-vps/service/OrderPolicy", {
  defaultValue: () => ({ createRates: undefined, strict: false })
})
