import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "#contract/Api"
import { osOptions, plansForSale } from "../orders/Catalogue.ts"
import { answer } from "./Answer.ts"

export const layer = HttpApiBuilder.group(Api, "services", (handlers) =>
  handlers
    .handle("list", () => answer(() => plansForSale))
    .handle("os_options", ({ params }) => answer(() => osOptions(params.service_id))))
