/** The whole catalogue, to read and to bring up to date: what is sold and offered, and what once was. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DataCentre, Image, Plan } from "./Catalogue.ts"
import type { Iso } from "./Isos.ts"

/** An image in a data centre. */
export interface Offer {
  readonly dataCentreId: number
  readonly osId: number
  readonly isDefault: boolean
}

export interface WholeCatalogue {
  readonly dataCentres: ReadonlyArray<DataCentre>
  readonly images: ReadonlyArray<Image>
  readonly offers: ReadonlyArray<Offer>
  readonly plans: ReadonlyArray<Plan>
  readonly isos: ReadonlyArray<Iso>
}

export class CatalogueBook extends Context.Service<CatalogueBook, {
  /** Everything, by id. */
  readonly read: Effect.Effect<WholeCatalogue>
  /**
   * Adds or replaces each row by its id; the offers of each image that is named are replaced by those given. Nothing
   * is deleted: orders refer to it. A plan that is there keeps the moment at which it was made.
   */
  readonly put: (rows: WholeCatalogue) => Effect.Effect<void>
}>()("pulumi-vps/service/CatalogueBook") {}
