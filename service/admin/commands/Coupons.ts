/** Coupons, as operators hand them out. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toTimestamp } from "../../domain/Calendar.ts"
import type { Coupon } from "../../domain/Coupon.ts"
import { toAmount } from "../../domain/Money.ts"
import { Coupons as CouponsRepository } from "../../persistence/Coupons.ts"
import { OperatorLists } from "../../persistence/OperatorLists.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { CommandRejected, hundredths, millisOf } from "../InputSchemas.ts"

const optional = (at: number | null): string | null => at === null ? null : toTimestamp(at)

const toRecord = (coupon: Coupon) => ({
  code: coupon.code,
  kind: coupon.kind,
  // Basis points and minor units both count hundredths.
  value: toAmount(coupon.value),
  currency: coupon.currency,
  valid_from: optional(coupon.validFrom),
  valid_until: optional(coupon.validUntil),
  uses: coupon.uses,
  max_uses: coupon.maxUses,
  once_per_account: coupon.oncePerAccount
})

export interface NewCoupon {
  readonly code: string
  /** Either a percentage, or a fixed amount with its currency. */
  readonly percent?: number
  readonly fixed?: number
  readonly currency?: string
  readonly valid_from?: string
  readonly valid_until?: string
  readonly max_uses?: number
  readonly once_per_account: boolean
}

/** What it takes off; fails with `Refused` when it says both, or neither. */
const valueOf = Effect.fnUntraced(function*({ currency, fixed, percent }: NewCoupon) {
  if (percent !== undefined && fixed === undefined) {
    if (currency !== undefined) return yield* new CommandRejected({ message: "currency: A percentage has none." })
    return { kind: "percent", value: hundredths(percent), currency: null } as const
  }
  if (percent === undefined && fixed !== undefined) {
    return { kind: "fixed", value: hundredths(fixed), currency: currency ?? "EUR" } as const
  }
  return yield* new CommandRejected({ message: "A coupon takes off either --percent or --fixed." })
})

export const createCoupon = Effect.fnUntraced(function*(wanted: NewCoupon) {
  const value = yield* valueOf(wanted)
  const validFrom = millisOf(wanted.valid_from)
  const validUntil = millisOf(wanted.valid_until)
  if (validFrom !== null && validUntil !== null && validUntil <= validFrom) {
    return yield* new CommandRejected({ message: "valid_until: It should be later than valid_from." })
  }
  const coupons = yield* CouponsRepository
  const at = yield* Clock.currentTimeMillis
  const { code, max_uses: maxUses = null, once_per_account: oncePerAccount } = wanted
  const coupon = { code, ...value, validFrom, validUntil, maxUses, oncePerAccount }
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    if ((yield* coupons.find(code)) !== undefined) {
      return yield* new CommandRejected({ message: `There is a coupon ${code} already; "coupons list" shows it.` })
    }
    yield* coupons.add({ ...coupon, at })
    return toRecord({ ...coupon, uses: 0 })
  }))
})

export const listCoupons = Effect.map(
  Effect.flatMap(OperatorLists, ({ coupons }) => coupons),
  (coupons) => coupons.map(toRecord)
)
