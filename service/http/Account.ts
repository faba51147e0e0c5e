import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { ServiceInfo } from "#contract/Account"
import { Api, API_VERSION } from "#contract/Api"
import { whoami } from "../auth/Whoami.ts"
import { answer } from "./Answer.ts"

/** The address under which the client reached the service, so that its links work for that client. */
const originOf = (request: HttpServerRequest.HttpServerRequest): string =>
  `http://${request.headers["host"] ?? "127.0.0.1"}`

const info = (origin: string): ServiceInfo => ({
  name: "vps-service",
  version: API_VERSION,
  documentation_url: `${origin}/docs`,
  openapi_url: `${origin}/openapi.json`
})

export const layer = HttpApiBuilder.group(Api, "account", (handlers) =>
  handlers
    .handle("root", ({ request }) => Effect.succeed(HttpServerResponse.jsonUnsafe(info(originOf(request)))))
    .handle("whoami", () => answer(whoami)))
