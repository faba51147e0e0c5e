/** Names the spans of requests, and excludes some requests from tracing. */
import * as Context from "effect/Context"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import { routeOf } from "./RouteTable.ts"
import { REDACTED_PARAMETERS } from "./UrlRedaction.ts"

/** Polled every few seconds by programs, without useful information. */
const UNTRACED = new Set(["/livez", "/readyz", "/metrics"])

export const layer: Layer.Layer<never> = Layer.succeedContext(
  Context.make(
    HttpMiddleware.SpanNameGenerator,
    ({ method, url }) => [method, routeOf(url)?.pattern].filter((part) => part !== undefined).join(" ")
  ).pipe(
    Context.add(HttpMiddleware.TracerDisabledWhen, ({ url }) => UNTRACED.has(routeOf(url)?.pattern ?? "")),
    Context.add(UrlParams.CurrentRedactedNames, REDACTED_PARAMETERS)
  )
)
