import * as Effect from "effect/Effect"
import type { ServiceInfo } from "#contract/Account"
import { API_VERSION } from "#contract/Api"
import { whoami } from "../../auth/Whoami.ts"
import { TrustedProxies } from "../connection/ClientAddress.ts"
import type { Handlers } from "./ApiRoutes.ts"

const info = (origin: string): ServiceInfo => ({
  name: "vps-service",
  version: API_VERSION,
  documentation_url: `${origin}/docs`,
  openapi_url: `${origin}/openapi.json`
})

/** Built with the layer, because the trusted proxies are a setting. */
export const account = Effect.map(TrustedProxies, ({ origin }): Handlers<"account"> => ({
  root: ({ request }) => Effect.succeed(info(origin(request))),
  whoami: (_, caller) => whoami(caller)
}))
