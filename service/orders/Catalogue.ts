/** The catalogue as customers see it. */
import * as Effect from "effect/Effect"
import type { OsOptions, PublicPlan } from "#contract/Services"
import { PlanNotFound } from "../domain/Errors.ts"
import { toAmount } from "../domain/Money.ts"
import { Catalogue, type Plan } from "../persistence/Catalogue.ts"

export const toPublicPlan = (plan: Plan): PublicPlan => ({
  id: plan.id,
  name: plan.name,
  slug: plan.slug,
  description: plan.description,
  price: toAmount(plan.price),
  billing_cycle: plan.billingCycle,
  category: plan.category,
  specs: plan.specs === null ? null : JSON.parse(plan.specs)
})

/** Active plans in stock that can be ordered. */
export const plansForSale = Effect.gen(function*() {
  return (yield* (yield* Catalogue).forSale).map(toPublicPlan)
})

/** What a plan's data centre offers, by `os_id`. */
export const osOptions = Effect.fnUntraced(function*(planId: number) {
  const catalogue = yield* Catalogue
  const plan = yield* catalogue.plan(planId)
  if (plan === undefined || !plan.isActive) return yield* new PlanNotFound({ planId, outOfStock: false })
  const dataCentre = yield* catalogue.dataCentre(plan.dataCentreId)
  const images = yield* catalogue.images(plan.dataCentreId)
  return {
    location_label: dataCentre?.label ?? "",
    os_options: images.map(({ icon, label, osId, slug, version }) => ({ slug, label, version, os_id: osId, icon }))
  } satisfies OsOptions
})
