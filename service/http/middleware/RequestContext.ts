/**
 * A request's id, trace and caller, and the name of its span. Logs and traces have redacted URLs, in case a client
 * sends secrets in them.
 */
import * as UrlParams from "effect/http/UrlParams"
import * as Context from "effect/Context"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as Layer from "effect/Layer"
import { redactKeys } from "../../auth/ApiKeyToken.ts"
import { routeOf } from "./RouteTable.ts"
import type { Identity } from "../../auth/Authentication.ts"
import type { Caller } from "../../domain/Caller.ts"

/** The contract's parameters, which contain no secrets. Any other may be an API key sent by mistake. */
export const SAFE_PARAMETERS = ["dry_run", "limit", "offset", "range"]

/** Matches the names of parameters whose values are redacted. */
const REDACTED_PARAMETERS: ReadonlyArray<RegExp> = [new RegExp(`^(?!(?:${SAFE_PARAMETERS.join("|")})$)`)]

/** The URL without the values of unknown parameters, and without API keys in its path. */
export const redactUrl = (url: string): string =>
  redactKeys(url.includes("?") ? UrlParams.redactUrl(url, REDACTED_PARAMETERS) : url)

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

/** The request's `X-Request-Id`: the client's, or a generated one. */
export const RequestId = Context.Reference<string | null>("@pulumi-vps/service/RequestId", { defaultValue: () => null })

/** The request's span as a W3C traceparent; undefined without tracing. */
export const RequestTrace = Context.Reference<string | undefined>("@pulumi-vps/service/RequestTrace", {
  defaultValue: () => undefined
})

/** The caller as use cases need it, from the API key and the request's context. */
export const callerFrom = (context: Context.Context<never>, { accountId, id }: Identity): Caller => ({
  accountId,
  apiKeyId: id,
  requestId: Context.get(context, RequestId),
  trace: Context.get(context, RequestTrace)
})
