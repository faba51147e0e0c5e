/** The OpenAPI document, rendered from the contract on the first request and then cached as text. */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { openApiDocument } from "@pulumi-vps/contract/openapi/OpenApiDocument"
import { portableDocument } from "@pulumi-vps/contract/openapi/PortableDocument"
import * as StaticAsset from "./StaticAsset.ts"

const ASSET_OPTIONS = { contentType: "application/json", cacheControl: "no-cache" }

const render = Effect.suspend(() =>
  StaticAsset.make(JSON.stringify(portableDocument(openApiDocument())), ASSET_OPTIONS)
)

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const document = yield* Effect.cached(render)
  yield* router.add("GET", "/openapi.json", (request) => Effect.map(document, ({ respond }) => respond(request)))
}))
