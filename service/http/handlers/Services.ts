import { osOptions, plansForSale } from "../../orders/Catalogue.ts"
import { answer } from "./Answer.ts"
import type { Handlers } from "./ApiRoutes.ts"

export const services: Handlers<"services"> = {
  list: () => answer(plansForSale),
  os_options: ({ params }) => answer(osOptions(params.service_id))
}
