/** The identity of a request: its id, and who sent it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Principal } from "#contract/Authorization"
import type { Caller } from "../domain/Caller.ts"

/** The request's `X-Request-Id`: the client's, or made here. */
export const RequestId = Context.Reference<string | null>("pulumi-vps/service/RequestId", { defaultValue: () => null })

/** What use cases need to know of who is asking. */
export const caller: Effect.Effect<Caller, never, Principal> = Effect.gen(function*() {
  const { accountId, keyId } = yield* Principal
  return { accountId, apiKeyId: keyId, requestId: yield* RequestId }
})
