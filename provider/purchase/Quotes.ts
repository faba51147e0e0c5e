/** Prices from dry runs, cached per plan and coupon. */
import type { CreateInstance, DryRun } from "#sdk/client/Records"
import type { Api } from "../api/Api.ts"
import { explain, statusOf } from "../api/Errors.ts"
import type { CheckFailure } from "../definition/Validation.ts"
import { minor } from "./Money.ts"

export interface PlannedPurchase {
  readonly key: string
  /** The name of the resource in the program. */
  readonly name: string
  readonly serviceId: number
  readonly couponCode: string | undefined
  readonly maxCharge: number | undefined
}

type PlanAndCoupon = Pick<PlannedPurchase, "serviceId" | "couponCode">

/** The outcome of a dry run: a price, a refusal of this order, a price that is not available, or another error. */
export type Quote =
  | { readonly kind: "priced"; readonly dryRun: DryRun }
  | { readonly kind: "refused"; readonly failure: CheckFailure }
  | { readonly kind: "unpriced"; readonly reason: string }
  | { readonly kind: "broken"; readonly reason: string }

export interface Balance {
  /** Minor units. */
  readonly units: number
  readonly currency: string
}

export class Quotes {
  readonly #api: Api
  readonly #quotes = new Map<string, Promise<Quote>>()
  /** The wallet balance at the first dry run of this process. */
  balance: Balance | undefined

  constructor(api: Api) {
    this.#api = api
  }

  get(item: PlanAndCoupon): Promise<Quote> {
    const key = cacheKey(item)
    const quote = this.#quotes.get(key) ?? this.#request(item)
    this.#quotes.set(key, quote)
    return quote
  }

  /** The next call requests the price again. */
  forget(item: PlanAndCoupon): void {
    this.#quotes.delete(cacheKey(item))
  }

  /** The wallet balance; undefined when a dry run of this plan does not show it. */
  async balanceFor(serviceId: number): Promise<Balance | undefined> {
    if (this.balance === undefined) await this.get({ serviceId, couponCode: undefined })
    return this.balance
  }

  /** True when this key has already bought: then no lack of money, coupon or plan may stop the run. */
  async isPurchased(planned: PlannedPurchase): Promise<boolean> {
    try {
      const { charge_amount, sufficient_funds, would_create } = await this.#api.dryRun(order(planned), planned.key)
      return !would_create && charge_amount === 0 && sufficient_funds
    } catch {
      // The caller reports the first error.
      return false
    }
  }

  async #request(item: PlanAndCoupon): Promise<Quote> {
    try {
      const dryRun = await this.#api.dryRun(order(item))
      this.balance ??= { units: minor(dryRun.wallet_balance), currency: dryRun.currency }
      return { kind: "priced", dryRun }
    } catch (error) {
      return classify(error, item)
    }
  }
}

const cacheKey = ({ couponCode, serviceId }: PlanAndCoupon): string => JSON.stringify([serviceId, couponCode ?? null])

const order = ({ couponCode, serviceId }: PlanAndCoupon): CreateInstance =>
  couponCode === undefined ? { service_id: serviceId } : { service_id: serviceId, coupon_code: couponCode }

const classify = (error: unknown, { couponCode, serviceId }: PlanAndCoupon): Quote => {
  const status = statusOf(error)
  const reason = explain(error)
  if (status === 403 || status === 429) return { kind: "unpriced", reason }
  if (status === 404) {
    return {
      kind: "refused",
      failure: { property: "serviceId", reason: `plan ${serviceId} cannot be bought: ${reason}` }
    }
  }
  if (status === 400 || status === 422) {
    const property = couponCode === undefined ? "serviceId" : "couponCode"
    return { kind: "refused", failure: { property, reason: `this purchase was refused: ${reason}` } }
  }
  return { kind: "broken", reason: `the charge is not available: ${reason}` }
}
