/** Adds the API key. It is read once per call, because an idempotency key belongs to the API key that first sent it. */
import * as Effect from "effect/Effect"
import type { Handler } from "./Handler.ts"
import type { Settings } from "../options/Config.ts"

export const withAuthentication = (next: Handler, apiKey: Settings["apiKey"]): Handler => (request) =>
  Effect.flatMap(apiKey, (key) =>
    next({
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${key}` },
      secrets: [...request.secrets, key]
    }))
