/** Prices, asked of the service by dry runs: once per plan and coupon in a process. */
import type { CreateInstance, DryRun } from "#contract/Instance"
import type { CheckFailure } from "../definition/Validation.ts"
import { minor } from "./Money.ts"
import type { Api } from "../api/Api.ts"
import { explain, statusOf } from "../api/Errors.ts"

export interface PlannedPurchase {
  readonly key: string
  /** How the user calls the resource. */
  readonly name: string
  readonly serviceId: number
  readonly couponCode: string | undefined
  readonly maxCharge: number | undefined
}

type PlanAndCoupon = Pick<PlannedPurchase, "serviceId" | "couponCode">

/** A dry run's outcome: a price, a refusal of this very order, or no answer that could be judged. */
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
  readonly #asked = new Map<string, Promise<Quote>>()
  /** What the wallet held when this process first asked. */
  balance: Balance | undefined

  constructor(api: Api) {
    this.#api = api
  }

  get(article: PlanAndCoupon): Promise<Quote> {
    const name = cacheKey(article)
    const asked = this.#asked.get(name) ?? this.#ask(article)
    this.#asked.set(name, asked)
    return asked
  }

  /** Asks anew the next time: the answer could not be judged. */
  forget(article: PlanAndCoupon): void {
    this.#asked.delete(cacheKey(article))
  }

  /** What the wallet holds; undefined when a dry run of this plan does not tell. */
  async balanceFor(serviceId: number): Promise<Balance | undefined> {
    if (this.balance === undefined) await this.get({ serviceId, couponCode: undefined })
    return this.balance
  }

  /** Has this key bought already? Then no lack of money, coupon or plan may stop it. */
  async isPurchased(planned: PlannedPurchase): Promise<boolean> {
    try {
      const { charge_amount, sufficient_funds, would_create } = await this.#api.dryRun(order(planned), planned.key)
      return !would_create && charge_amount === 0 && sufficient_funds
    } catch {
      // The first verdict stands: it already says what is wrong.
      return false
    }
  }

  async #ask(article: PlanAndCoupon): Promise<Quote> {
    try {
      const dryRun = await this.#api.dryRun(order(article))
      this.balance ??= { units: minor(dryRun.wallet_balance), currency: dryRun.currency }
      return { kind: "priced", dryRun }
    } catch (error) {
      return classify(error, article)
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
      failure: { property: "serviceId", reason: `plan ${serviceId} can't be bought: ${reason}` }
    }
  }
  if (status === 400 || status === 422) {
    const property = couponCode === undefined ? "serviceId" : "couponCode"
    return { kind: "refused", failure: { property, reason: `this can't be bought: ${reason}` } }
  }
  return { kind: "broken", reason: `the charge can't be asked for: ${reason}` }
}
