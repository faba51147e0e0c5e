/** The interface description, made from the contract when it is first asked for and kept as text from then on. */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { openApiDocument } from "#contract/Document"
import * as StaticAsset from "./StaticAsset.ts"

const KIND = { contentType: "application/json", cacheControl: "no-cache" }

const render = Effect.suspend(() => StaticAsset.make(JSON.stringify(openApiDocument()), KIND))

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const document = yield* Effect.cached(render)
  yield* router.add("GET", "/openapi.json", (request) => Effect.map(document, ({ respond }) => respond(request)))
}))
