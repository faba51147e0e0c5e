/** What the `World` sells. */
import type { Instance } from "#contract/Instance"
import type { PublicPlan } from "#contract/Services"

const PLANS: Readonly<Record<number, readonly [name: string, price: number]>> = {
  1: ["vps-s", 4.99],
  2: ["vps-m", 9.99],
  3: ["vps-l", 19.99]
}

export const OS_OPTIONS = ["debian-12", "debian-13", "ubuntu-24.04"].map((slug, index) => ({
  slug,
  label: slug,
  version: slug.split("-")[1] ?? "",
  os_id: index + 1
}))

export const nameOf = (id: number): string => PLANS[id]?.[0] ?? "unknown"

/** Undefined when there is no such plan. */
export const priceOf = (id: number): number | undefined => PLANS[id]?.[1]

export const plans = (): ReadonlyArray<PublicPlan> =>
  Object.keys(PLANS).map(Number).map((id) => ({
    id,
    name: nameOf(id),
    slug: nameOf(id),
    price: priceOf(id) ?? 0,
    billing_cycle: "monthly",
    category: "vps"
  }))

/** The plan as an order holds it. */
export const service = (id: number, created_at: string): Instance["order"]["service"] => ({
  id,
  name: nameOf(id),
  slug: nameOf(id),
  description: null,
  price: priceOf(id) ?? 0,
  billing_cycle: "monthly",
  category: "vps",
  specs: null,
  is_active: true,
  out_of_stock: false,
  auto_deploy: true,
  created_at
})
