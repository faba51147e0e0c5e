/** `/metrics` for Prometheus. Like the health checks it needs no API key; a proxy should not expose it. */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { scrape } from "../../observability/Metrics.ts"
import { ServiceRuntime } from "../../ServiceRuntime.ts"

const contentType = "text/plain; version=0.0.4; charset=utf-8"

export const layer = HttpRouter.add(
  "GET",
  "/metrics",
  Effect.flatMap(
    ServiceRuntime,
    ({ run }) => Effect.map(run(scrape), (text) => HttpServerResponse.text(text, { contentType }))
  )
)
