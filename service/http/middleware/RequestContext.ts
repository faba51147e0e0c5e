/** A request's id, trace and caller. */
import * as Context from "effect/Context"
import type { Identity } from "../../auth/Authentication.ts"
import type { Caller } from "../../domain/Caller.ts"

/** The request's `X-Request-Id`: the client's, or a generated one. */
export const RequestId = Context.Reference<string | null>("pulumi-vps/service/RequestId", { defaultValue: () => null })

/** The request's span as a W3C traceparent; undefined without tracing. */
export const RequestTrace = Context.Reference<string | undefined>("pulumi-vps/service/RequestTrace", {
  defaultValue: () => undefined
})

/** The caller as use cases need it, from the API key and the request's context. */
export const callerFrom = (context: Context.Context<never>, { accountId, id }: Identity): Caller => ({
  accountId,
  apiKeyId: id,
  requestId: Context.get(context, RequestId),
  trace: Context.get(context, RequestTrace)
})
