/** The identity of a request: its id, and who sent it. */
import * as Context from "effect/Context"
import type { Identity } from "../../auth/Authentication.ts"
import type { Caller } from "../../domain/Caller.ts"

/** The request's `X-Request-Id`: the client's, or made here. */
export const RequestId = Context.Reference<string | null>("pulumi-vps/service/RequestId", { defaultValue: () => null })

/** The request's span, as a W3C traceparent; undefined when nothing is traced. */
export const RequestTrace = Context.Reference<string | undefined>("pulumi-vps/service/RequestTrace", {
  defaultValue: () => undefined
})

/** What use cases need to know of who is asking, from the key that was shown and the context of the request. */
export const callerFrom = (context: Context.Context<never>, { accountId, id }: Identity): Caller => ({
  accountId,
  apiKeyId: id,
  requestId: Context.get(context, RequestId),
  trace: Context.get(context, RequestTrace)
})
