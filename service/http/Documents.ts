/** The interface description, made from the contract when it is first asked for and kept as text from then on. */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { openApiDocument } from "#contract/Document"

const render = Effect.sync(() => JSON.stringify(openApiDocument()))

/** A page for people comes later; until then its address leads to what there is. */
const docs = HttpServerResponse.redirect("/openapi.json", { status: 302 })

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const document = yield* Effect.cached(render)
  yield* router.add("GET", "/docs", docs)
  yield* router.add(
    "GET",
    "/openapi.json",
    Effect.map(document, (text) => HttpServerResponse.text(text, { contentType: "application/json" }))
  )
}))
