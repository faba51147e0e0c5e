import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { ServiceInfo } from "#contract/Account"
import { API_VERSION } from "#contract/Api"
import { whoami } from "../../auth/Whoami.ts"
import { answer } from "./Answer.ts"
import { TrustedProxies } from "../connection/ClientAddress.ts"
import type { Handlers } from "./ApiRoutes.ts"

const info = (origin: string): ServiceInfo => ({
  name: "vps-service",
  version: API_VERSION,
  documentation_url: `${origin}/docs`,
  openapi_url: `${origin}/openapi.json`
})

/** Taken while a layer is built: which proxies are believed is a setting. */
export const account = Effect.map(TrustedProxies, ({ origin }): Handlers<"account"> => ({
  root: ({ request }) => Effect.succeed(HttpServerResponse.jsonUnsafe(info(origin(request)))),
  whoami: (_, by) => answer(whoami(by))
}))
