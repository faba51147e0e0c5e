/** Data centres, plans and images. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"

export interface Plan {
  readonly id: number
  readonly name: string
  readonly slug: string
  readonly description: string | null
  readonly price: Minor
  readonly currency: string
  readonly billingCycle: string
  readonly category: string
  /** JSON text of the plan's specs. */
  readonly specs: string | null
  readonly dataCentreId: number
  readonly isActive: boolean
  readonly outOfStock: boolean
  readonly autoDeploy: boolean
  readonly createdAt: number
}

export type ImageFamily = "linux" | "bsd" | "windows"

export interface Image {
  readonly osId: number
  readonly slug: string
  readonly label: string
  readonly version: string
  readonly icon: string | null
  readonly family: ImageFamily
}

export interface DataCentre {
  readonly id: number
  readonly label: string
}

/** Categories whose plans can be ordered here. */
export const ORDERABLE: ReadonlyArray<string> = ["vps", "dedicated"]

/** Virtual machines have snapshots, backups and other sizes; a dedicated machine is what it is. */
export const isVirtual = (category: string): boolean => category === "vps"

export class Catalogue extends Context.Service<Catalogue, {
  /** Active plans in stock that can be ordered, by id. */
  readonly forSale: Effect.Effect<ReadonlyArray<Plan>>
  readonly plan: (id: number) => Effect.Effect<Plan | undefined>
  readonly dataCentre: (id: number) => Effect.Effect<DataCentre | undefined>
  /** What a data centre offers, by `os_id`. */
  readonly images: (dataCentreId: number) => Effect.Effect<ReadonlyArray<Image>>
  readonly image: (dataCentreId: number, slug: string) => Effect.Effect<Image | undefined>
  readonly defaultImage: (dataCentreId: number) => Effect.Effect<Image | undefined>
  readonly addDataCentre: (dataCentre: DataCentre) => Effect.Effect<void>
  readonly addPlan: (plan: Plan) => Effect.Effect<void>
  readonly addImage: (image: Image) => Effect.Effect<void>
  readonly offerImage: (dataCentreId: number, osId: number, isDefault: boolean) => Effect.Effect<void>
}>()("pulumi-vps/service/Catalogue") {}
