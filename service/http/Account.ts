import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { ServiceInfo } from "#contract/Account"
import { Api, API_VERSION } from "#contract/Api"
import { whoami } from "../auth/Whoami.ts"
import { answer } from "./Answer.ts"
import { Proxies } from "./ClientAddress.ts"

const info = (origin: string): ServiceInfo => ({
  name: "vps-service",
  version: API_VERSION,
  documentation_url: `${origin}/docs`,
  openapi_url: `${origin}/openapi.json`
})

export const layer = HttpApiBuilder.group(Api, "account", (handlers) =>
  Effect.map(Proxies, ({ origin }) =>
    handlers
      .handle("root", ({ request }) => Effect.succeed(HttpServerResponse.jsonUnsafe(info(origin(request)))))
      .handle("whoami", () => answer(whoami))))
