/** What the operator has decided about creates. */
import * as Context from "effect/Context"

export interface OrderPolicy {
  /** Whether an account may create only so often. */
  readonly limited: boolean
  /** Whether a key that comes again with another body is refused, instead of answered with the original. */
  readonly strict: boolean
}

/** As open as it can be, unless configured. */
export const OrderPolicy = Context.Reference<OrderPolicy>("pulumi-vps/service/OrderPolicy", {
  defaultValue: () => ({ limited: false, strict: false })
})
