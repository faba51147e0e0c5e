/**
 * The plans of the catalogue as customers see them, their images, and the SSH keys that go with those. The start
 * reports plans that are not for sale because their specs have no size, as those of an older catalogue.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { specProblems } from "../domain/MachineSize.ts"
import { Catalogue } from "../persistence/Catalogue.ts"
import { inStock, PlacesMachines } from "./Capacity.ts"
import { InvalidField, PlanNotFound } from "../domain/Errors.ts"
import { sshKeyProblem } from "../domain/SshKey.ts"
import type { Image, Plan } from "../persistence/catalogue/Plan.ts"
import type { OsOptions, PublicPlan } from "@pulumi-vps/contract/Services"
import type { Caller } from "../domain/Caller.ts"
import { toAmount } from "../domain/Money.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { Orders } from "../persistence/Orders.ts"

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  if (!(yield* PlacesMachines)) return
  for (const { slug, specs } of yield* (yield* Catalogue).forSale) {
    for (const problem of specProblems(specs, true)) {
      yield* Effect.logError(
        `Plan ${slug} is not for sale: ${problem} Correct it with: vps-service admin catalogue import`
      )
    }
  }
}))

/** The image of a slug. Fails with `InvalidField` if the plan's data center does not offer it. */
export const offeredImage = Effect.fnUntraced(function*({ dataCenterId }: Pick<Plan, "dataCenterId">, slug: string) {
  const image = yield* (yield* Catalogue).image(dataCenterId, slug)
  return image ?? (yield* notOffered({ dataCenterId }, slug))
})

/** Fails with `InvalidField`, which lists the images that a plan's data center offers. */
export const notOffered = Effect.fnUntraced(function*({ dataCenterId }: Pick<Plan, "dataCenterId">, slug: string) {
  const offered = (yield* (yield* Catalogue).images(dataCenterId)).map((one) => one.slug).join(", ")
  return yield* new InvalidField({
    field: "os",
    problem: `"${slug}" is not available for this plan; available: ${offered}`
  })
})

/** Fails with `InvalidField` if the key cannot be installed with the image. */
export const checkKey = Effect.fnUntraced(function*({ family }: Image, key: string | null | undefined) {
  if (key === null || key === undefined) return
  const problem = family === "windows" ? "cannot be installed on Windows" : sshKeyProblem(key)
  if (problem !== undefined) return yield* new InvalidField({ field: "ssh_pubkey", problem })
})

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

/** The plan of an instance, as it was sold. */
export const planOf = Effect.fnUntraced(function*({ soldId }: { readonly soldId: number }) {
  const plan = yield* (yield* Catalogue).sold(soldId)
  return plan ?? (yield* Effect.die(new Error(`sold plan ${soldId} is missing`)))
})

/** A plan for sale, of any category. Fails with `PlanNotFound`. */
export const findPlanForSale = Effect.fnUntraced(function*(id: number) {
  return yield* forSale(id, yield* (yield* Catalogue).plan(id))
})

/** The plan if it is for sale. Fails with `PlanNotFound`. */
export const forSale = Effect.fnUntraced(function*(id: number, plan: Plan | undefined) {
  if (plan === undefined || !plan.isActive) return yield* new PlanNotFound({ planId: id, outOfStock: false })
  if (plan.outOfStock) return yield* new PlanNotFound({ planId: id, outOfStock: true })
  return plan
})

/** Active plans in stock that the caller can order: in the currency of the wallet. */
export const plansForSale = Effect.fnUntraced(function*(caller: Caller) {
  const account = yield* (yield* Accounts).find(caller.accountId)
  const plans = (yield* (yield* Catalogue).forSale).filter(({ currency }) => currency === account?.currency)
  return (yield* inStock(plans)).map(toPublicPlan)
})

/** The images that a plan's data center offers, by `os_id`. A retired plan is found by those who still have it. */
export const osOptions = Effect.fnUntraced(function*({ accountId }: Caller, planId: number) {
  const catalogue = yield* Catalogue
  const plan = yield* catalogue.plan(planId)
  const isFound = plan !== undefined && (plan.isActive || (yield* (yield* Orders).hasPlan(accountId, planId)))
  if (!isFound) return yield* new PlanNotFound({ planId, outOfStock: false })
  const dataCenter = yield* catalogue.dataCenter(plan.dataCenterId)
  const images = yield* catalogue.images(plan.dataCenterId)
  return {
    location_label: dataCenter?.label ?? "",
    os_options: images.map(({ icon, label, osId, slug, version }) => ({ slug, label, version, os_id: osId, icon }))
  } satisfies OsOptions
})
