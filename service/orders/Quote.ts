/** The price and content of a create, shared by dry runs and real creates. */
import * as Effect from "effect/Effect"
import type { CreateInstance } from "#contract/Instance"
import type { Caller } from "../domain/Caller.ts"
import { AccountClosed, CurrencyMismatch, InvalidField, PlanNotOrderable } from "../domain/Errors.ts"
import { HOST_NAME_PROBLEM, isHostName } from "../domain/HostName.ts"
import { type Charge, chargeOf, price } from "../domain/Vat.ts"
import { ownerOf } from "../instances/Admission.ts"
import type { Account } from "../persistence/Accounts.ts"
import { Catalogue } from "../persistence/Catalogue.ts"
import { type Image, ORDERABLE, type Plan } from "../persistence/catalogue/Plan.ts"
import { type Discount, findDiscount } from "./Discount.ts"
import { checkKey, offeredImage } from "../catalogue/Images.ts"
import { assertInStock } from "../catalogue/Capacity.ts"
import { findPlanForSale } from "../catalogue/Plans.ts"

export interface Quote {
  readonly account: Account
  readonly plan: Plan
  readonly image: Image
  /** The amount that the wallet pays now: the price less the discount. */
  readonly price: Charge
  readonly discount: Discount | undefined
}

const findPlan = Effect.fnUntraced(function*(id: number) {
  const plan = yield* findPlanForSale(id)
  if (!ORDERABLE.includes(plan.category)) return yield* new PlanNotOrderable({ planId: id, category: plan.category })
  yield* assertInStock(plan, null)
  return plan
})

const findImage = Effect.fnUntraced(function*(plan: Plan, slug: string | null | undefined) {
  if (slug !== null && slug !== undefined) return yield* offeredImage(plan, slug)
  const image = yield* (yield* Catalogue).defaultImage(plan.dataCenterId)
  return image ?? (yield* new InvalidField({ field: "os", problem: "is required: this plan has no default image" }))
})

/** The form is valid; this validates what the fields mean, in the order of their declaration. */
const validate = Effect.fnUntraced(function*(plan: Plan, body: CreateInstance) {
  const { hostname, ssh_pubkey: key } = body
  if (typeof hostname === "string" && !isHostName(hostname)) {
    return yield* new InvalidField({ field: "hostname", problem: HOST_NAME_PROBLEM })
  }
  const image = yield* findImage(plan, body.os)
  yield* checkKey(image, key)
  return image
})

/** Fails in the order of the specification: 404, 400 category, 422 meaning, 400 coupon. */
export const quote = Effect.fnUntraced(function*(caller: Caller, body: CreateInstance) {
  const plan = yield* findPlan(body.service_id)
  const image = yield* validate(plan, body)
  yield* assertInStock(plan, image.slug)
  const account = yield* ownerOf(caller)
  if (account.closedAt !== null) return yield* new AccountClosed({ accountId: account.id })
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
