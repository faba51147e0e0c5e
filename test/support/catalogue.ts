/** Catalogue rows for tests: plausible in every field, overridden where it matters. */
import * as Effect from "effect/Effect"
import { Catalogue, type WholeCatalogue } from "#service/persistence/Catalogue"
import type { DataCenter, Image, Plan } from "#service/persistence/catalogue/Plan"
import type { Iso } from "#service/persistence/Isos"

const NOTHING: WholeCatalogue = { dataCenters: [], images: [], offers: [], plans: [], isos: [] }

/** The catalogue, with a function to add each kind of row by itself. */
export const editable = Effect.map(Catalogue, (catalogue) => {
  const add = (rows: Partial<WholeCatalogue>) => catalogue.upsert({ ...NOTHING, ...rows })
  return {
    ...catalogue,
    addDataCenter: (dataCenter: DataCenter) => add({ dataCenters: [dataCenter] }),
    addPlan: (plan: Plan) => add({ plans: [plan] }),
    addImage: (image: Image) => add({ images: [image] }),
    addIso: (iso: Iso) => add({ isos: [iso] }),
    offerImage: (dataCenterId: number, osId: number, isDefault: boolean) =>
      add({ offers: [{ dataCenterId, osId, isDefault }] })
  }
})

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
  dataCenterId: 1,
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
