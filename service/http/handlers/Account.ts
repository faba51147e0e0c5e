import * as Effect from "effect/Effect"
import type { ServiceInfo } from "#contract/Account"
import { API_VERSION } from "#contract/Api"
import { whoami } from "../../auth/Whoami.ts"
import { Config } from "../../config/Config.ts"
import { TrustedProxies } from "../connection/ClientAddress.ts"
import type { Handlers } from "./ApiRoutes.ts"

/** The panel is at its configured address, else where the API was reached. */
const info = (origin: string, panelUrl: string): ServiceInfo => ({
  name: "vps-service",
  version: API_VERSION,
  documentation_url: `${origin}/docs`,
  openapi_url: `${origin}/openapi.json`,
  panel_url: `${panelUrl === "" ? origin : new URL(panelUrl).origin}/panel`
})

/** Built with the layer, because the trusted proxies are a setting. */
export const account = Effect.map(TrustedProxies, ({ origin }): Handlers<"account"> => ({
  root: ({ request }) => Effect.map(Config, ({ panelUrl }) => info(origin(request), panelUrl)),
  whoami: (_, caller) => whoami(caller)
}))
