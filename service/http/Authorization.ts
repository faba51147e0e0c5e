/** Who is asking, before anything else of the request is looked at: 401 and 403 as RFC 6750 words them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Authorization, Principal } from "#contract/Authorization"
import { effectiveScopes, RequiredScope, type Scope } from "#contract/Scope"
import { Authentication, type Identity, type Refusal } from "../auth/Authentication.ts"
import { refuse } from "./Errors.ts"

const REALM = "Bearer realm=\"vps\""

const missing = () =>
  refuse(401, "An API key is required: send it as `Authorization: Bearer <key>`.", { "www-authenticate": REALM })

const WORDS: Readonly<Record<Refusal, string>> = {
  invalid: "The API key is invalid.",
  expired: "The API key has expired: make a new one.",
  revoked: "The API key has been revoked: make a new one."
}

const unusable = (refusal: Refusal) =>
  refuse(401, WORDS[refusal], {
    "www-authenticate": `${REALM}, error="invalid_token", error_description="${WORDS[refusal]}"`
  })

const insufficientScope = (scope: Scope) =>
  refuse(403, `The API key lacks the scope ${scope}.`, {
    "www-authenticate": `${REALM}, error="insufficient_scope", scope="${scope}"`
  })

const isAllowed = (key: Identity, scope: Scope | undefined): boolean =>
  scope === undefined || effectiveScopes(key.scopes).includes(scope)

const make = Effect.map(Authentication, ({ identify }) =>
  Authorization.of({
    bearer: Effect.fnUntraced(function*(httpEffect, { credential, endpoint }) {
      const token = Redacted.value(credential)
      if (token === "") return missing()
      const key = yield* identify(token)
      if (typeof key === "string") return unusable(key)
      const scope = Context.get(endpoint.annotations, RequiredScope)
      if (!isAllowed(key, scope)) return insufficientScope(scope!)
      const principal = { accountId: key.accountId, keyId: key.id, scopes: key.scopes }
      return yield* Effect.provideService(httpEffect, Principal, principal)
    })
  }))

export const layer: Layer.Layer<Authorization, never, Authentication> = Layer.effect(Authorization, make)
