/** The price and content of a create, shared by dry runs and real creates. */
import * as Effect from "effect/Effect"
import type { CreateInstance } from "@pulumi-vps/contract/Instance"
import type { Caller } from "../domain/Caller.ts"
import { AccountClosed, CouponRejected, CurrencyMismatch, InvalidField, PlanNotOrderable } from "../domain/Errors.ts"
import { HOST_NAME_PROBLEM, isHostName } from "../domain/HostName.ts"
import { type Charge, chargeOf, price } from "../domain/Vat.ts"
import type { Minor } from "../domain/Money.ts"
import { assertNotFrozen, ownerOf } from "../instances/Admission.ts"
import type { Account } from "../persistence/Accounts.ts"
import { Catalogue } from "../persistence/Catalogue.ts"
import { type Image, ORDERABLE, type Plan } from "../persistence/catalogue/Plan.ts"
import { checkKey, forSale, notOffered } from "../catalogue/Plans.ts"
import { assertInStock } from "../catalogue/Capacity.ts"
import * as Clock from "effect/Clock"
import { couponProblem, discountOn } from "../domain/Coupon.ts"
import { Coupons, type StoredCoupon } from "../persistence/Coupons.ts"

export interface Quote {
  readonly account: Account
  readonly plan: Plan
  readonly image: Image
  /** The amount that the wallet pays now: the price less the discount. */
  readonly price: Charge
  readonly discount: Discount | undefined
}

/** The rows that the rules of a purchase are checked against. */
export interface Offer {
  readonly plan: Plan | undefined
  readonly image: Image | undefined
  readonly account: Account
}

/** The reads of a purchase: none depends on another, so that they can be made together. */
export const offerReads = Effect.fnUntraced(function*(caller: Caller, body: CreateInstance) {
  const catalogue = yield* Catalogue
  return {
    plan: catalogue.plan(body.service_id),
    image: catalogue.imageOf(body.service_id, body.os ?? null),
    account: ownerOf(caller)
  }
})

const checkPlan = Effect.fnUntraced(function*(id: number, offered: Plan | undefined) {
  const plan = yield* forSale(id, offered)
  if (!ORDERABLE.includes(plan.category)) return yield* new PlanNotOrderable({ planId: id, category: plan.category })
  yield* assertInStock(plan, null)
  return plan
})

const checkImage = (plan: Plan, slug: string | null | undefined, image: Image | undefined) =>
  image !== undefined
    ? Effect.succeed(image)
    : typeof slug === "string"
    ? notOffered(plan, slug)
    : Effect.fail(new InvalidField({ field: "os", problem: "is required: this plan has no default image" }))

/** The form is valid; this validates what the fields mean, in the order of their declaration. */
const validate = Effect.fnUntraced(function*(plan: Plan, body: CreateInstance, offered: Image | undefined) {
  const { hostname, ssh_pubkey: key } = body
  if (typeof hostname === "string" && !isHostName(hostname)) {
    return yield* new InvalidField({ field: "hostname", problem: HOST_NAME_PROBLEM })
  }
  const image = yield* checkImage(plan, body.os, offered)
  yield* checkKey(image, key)
  return image
})

/** Fails in the order of the specification: 404, 400 category, 422 meaning, 400 coupon. */
export const quote = Effect.fnUntraced(function*(body: CreateInstance, { account, ...offer }: Offer) {
  const plan = yield* checkPlan(body.service_id, offer.plan)
  const image = yield* validate(plan, body, offer.image)
  yield* assertInStock(plan, image.slug)
  if (account.closedAt !== null) return yield* new AccountClosed({ accountId: account.id })
  yield* assertNotFrozen(account)
  if (account.currency !== plan.currency) {
    return yield* new CurrencyMismatch({ plan: plan.currency, wallet: account.currency })
  }
  const { charge } = price(plan.price, account.vat)
  const purchase = { accountId: account.id, charge, currency: plan.currency }
  const discount = typeof body.coupon_code === "string" ? yield* findDiscount(body.coupon_code, purchase) : undefined
  return {
    account,
    plan,
    image,
    price: chargeOf(charge - (discount?.amount ?? 0), account.vat),
    discount
  } satisfies Quote
})

export interface Discount {
  readonly coupon: StoredCoupon
  /** Minor units, on the customer's charge basis. */
  readonly amount: Minor
}

export interface Purchase {
  readonly accountId: number
  /** The cost without the coupon. */
  readonly charge: Minor
  /** ISO 4217 code. */
  readonly currency: string
}

/** Only reads: the coupon is redeemed with the order. Fails with `CouponRejected`, which contains the reason. */
const findDiscount = Effect.fnUntraced(function*(code: string, { accountId, charge, currency }: Purchase) {
  const coupons = yield* Coupons
  const coupon = yield* coupons.find(code)
  if (coupon === undefined) return yield* new CouponRejected({ problem: `Coupon ${code} does not exist.` })
  const at = yield* Clock.currentTimeMillis
  const redeemedBefore = coupon.oncePerAccount && (yield* coupons.redeemedBy(coupon.id, accountId))
  const problem = couponProblem(coupon, { at, currency, redeemedBefore })
  if (problem !== undefined) return yield* new CouponRejected({ problem })
  return { coupon, amount: discountOn(charge, coupon) } satisfies Discount
})
