/** Catalogue rows for tests: plausible in every field, overridden where it matters. */
import type { Image, Plan } from "#service/persistence/catalogue/Plan"

export const plan = (id: number, overrides: Partial<Plan> = {}): Plan => ({
  id,
  name: `Plan ${id}`,
  slug: `plan-${id}`,
  description: null,
  price: 999,
  currency: "EUR",
  billingCycle: "monthly",
  category: "vps",
  specs: JSON.stringify({ vcpu: 1, ram: "1 GB", storage: "20 GB NVMe", traffic: "1 TB" }),
  dataCentreId: 1,
  isActive: true,
  outOfStock: false,
  autoDeploy: true,
  createdAt: 0,
  ...overrides
})

export const image = (osId: number, slug: string): Image => ({
  osId,
  slug,
  label: slug,
  version: "1",
  icon: null,
  family: "linux"
})
