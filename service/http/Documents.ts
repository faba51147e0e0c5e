/** The interface description, made from the contract when it is first asked for and kept as text from then on. */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

const render = Effect.map(
  Effect.promise(() => import("#contract/Document")),
  ({ openApiDocument }) => JSON.stringify(openApiDocument())
)

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const document = yield* Effect.cached(render)
  yield* router.add(
    "GET",
    "/openapi.json",
    Effect.map(document, (text) => HttpServerResponse.text(text, { contentType: "application/json" }))
  )
}))
