/** Who is asking, before the rest of the request is looked at: 401 and 403 as RFC 6750 words them, 429 in between. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Authorization, Principal } from "#contract/Authorization"
import { effectiveScopes, RequiredScope, type Scope } from "#contract/Scope"
import type { Standing } from "../domain/Gcra.ts"
import { Authentication, type Identity, type Refusal } from "../auth/Authentication.ts"
import { RequestLimits } from "../ratelimit/RequestLimits.ts"
import { Proxies } from "./ClientAddress.ts"
import { refuse } from "./Errors.ts"
import { tooMany, usedUp, withRates } from "./RateLimits.ts"

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

/** The answer with how the caller stands, if limits are on. */
const told = (response: HttpServerResponse, standings: ReadonlyArray<Standing> | undefined): HttpServerResponse =>
  standings === undefined ? response : withRates(response, standings)

const make = Effect.gen(function*() {
  const { identify } = yield* Authentication
  const limits = yield* RequestLimits
  const { clientAddress } = yield* Proxies

  /** Refusals are counted by address: there is nobody else to count them for. */
  const refused = (response: HttpServerResponse) =>
    Effect.map(HttpServerRequest, (request) => {
      const standings = limits.refusal(clientAddress(request))
      return standings !== undefined && usedUp(standings) !== undefined
        ? tooMany("requests without a valid key from this address", standings)
        : told(response, standings)
    })
  return Authorization.of({
    bearer: Effect.fnUntraced(function*(httpEffect, { credential, endpoint }) {
      const token = Redacted.value(credential)
      if (token === "") return yield* refused(missing())
      const key = yield* identify(token)
      if (typeof key === "string") return yield* refused(unusable(key))
      const standings = limits.request(key.accountId, key.id)
      if (standings !== undefined && usedUp(standings) !== undefined) return tooMany("requests", standings)
      const scope = Context.get(endpoint.annotations, RequiredScope)
      if (!isAllowed(key, scope)) return told(insufficientScope(scope!), standings)
      const principal = { accountId: key.accountId, keyId: key.id, scopes: key.scopes }
      const answered = Effect.provideService(httpEffect, Principal, principal)
      return standings === undefined ? yield* answered : withRates(yield* answered, standings)
    })
  })
})

export const layer: Layer.Layer<Authorization, never, Authentication | RequestLimits> = Layer.effect(
  Authorization,
  make
)
