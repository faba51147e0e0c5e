import { osOptions, plansForSale } from "../../catalogue/Plans.ts"
import type { Handlers } from "./ApiRoutes.ts"

export const services: Handlers<"services"> = {
  list: (_, caller) => plansForSale(caller),
  os_options: ({ params }, caller) => osOptions(caller, params.service_id)
}
