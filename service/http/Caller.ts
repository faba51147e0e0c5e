/** The identity of a request: its id, and who sent it. */
import * as Context from "effect/Context"
import { Principal } from "#contract/Authorization"
import type { Caller } from "../domain/Caller.ts"

/** The request's `X-Request-Id`: the client's, or made here. */
export const RequestId = Context.Reference<string | null>("pulumi-vps/service/RequestId", { defaultValue: () => null })

/** What use cases need to know of who is asking, from the context of a request. */
export const callerIn = (context: Context.Context<Principal>): Caller => {
  const { accountId, keyId } = Context.get(context, Principal)
  return { accountId, apiKeyId: keyId, requestId: Context.get(context, RequestId) }
}
