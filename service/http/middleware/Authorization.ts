/** Who is asking, before the rest of the request is looked at: 401 and 403 as RFC 6750 words them, 429 in between. */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { effectiveScopes, type Scope } from "#contract/Scope"
import type { Standing } from "../../domain/Gcra.ts"
import { Authentication, type Identity, type Refusal } from "../../auth/Authentication.ts"
import { RequestLimits } from "../../ratelimit/RequestLimits.ts"
import { TrustedProxies } from "../connection/ClientAddress.ts"
import { errorResponse } from "../Errors.ts"
import { exceeded, tooManyRequests, withRateLimits } from "./RateLimitHeaders.ts"

const REALM = "Bearer realm=\"vps\""

const missing = () =>
  errorResponse(401, "An API key is required: send it as `Authorization: Bearer <key>`.", { "www-authenticate": REALM })

const WORDS: Readonly<Record<Refusal, string>> = {
  invalid: "The API key is invalid.",
  expired: "The API key has expired: make a new one.",
  revoked: "The API key has been revoked: make a new one."
}

const unusable = (refusal: Refusal) =>
  errorResponse(401, WORDS[refusal], {
    "www-authenticate": `${REALM}, error="invalid_token", error_description="${WORDS[refusal]}"`
  })

const insufficientScope = (scope: Scope) =>
  errorResponse(403, `The API key lacks the scope ${scope}.`, {
    "www-authenticate": `${REALM}, error="insufficient_scope", scope="${scope}"`
  })

const isAllowed = (key: Identity, scope: Scope | undefined): boolean =>
  scope === undefined || effectiveScopes(key.scopes).includes(scope)

/** The answer with how the caller stands, if limits are on. */
const told = (response: HttpServerResponse, standings: ReadonlyArray<Standing> | undefined): HttpServerResponse =>
  standings === undefined ? response : withRateLimits(response, standings)

const SCHEME = /^bearer +/i

/** The key that a request shows; empty when it shows none. */
const presented = ({ headers }: HttpServerRequest): string => {
  const given = headers["authorization"] ?? ""
  const scheme = SCHEME.exec(given)
  return scheme === null ? "" : given.slice(scheme[0].length)
}

type Answer<R> = Effect.Effect<HttpServerResponse, never, R>

/** Who stands at the gate; taken while a layer is built. */
export const makeAuthorization = Effect.gen(function*() {
  const { identify } = yield* Authentication
  const limits = yield* RequestLimits
  const { clientAddress } = yield* TrustedProxies

  /** Refusals are counted by address: there is nobody else to count them for. */
  const refused = (request: HttpServerRequest, response: HttpServerResponse) => {
    const standings = limits.refusal(clientAddress(request))
    return standings !== undefined && exceeded(standings) !== undefined
      ? tooManyRequests("requests without a valid key from this address", standings)
      : told(response, standings)
  }
  /** Answers for whoever may not; the others' request is answered by `work`, with how the caller stands. */
  const authorize = <R>(request: HttpServerRequest, scope: Scope | undefined, work: (key: Identity) => Answer<R>) => {
    const token = presented(request)
    if (token === "") return Effect.succeed(refused(request, missing()))
    return Effect.flatMap(identify(token), (key): Answer<R> => {
      if (typeof key === "string") return Effect.succeed(refused(request, unusable(key)))
      const standings = limits.request(key.accountId, key.id)
      if (standings !== undefined && exceeded(standings) !== undefined) {
        return Effect.succeed(tooManyRequests("requests", standings))
      }
      if (!isAllowed(key, scope)) return Effect.succeed(told(insufficientScope(scope!), standings))
      return standings === undefined
        ? work(key)
        : Effect.map(work(key), (response) => withRateLimits(response, standings))
    })
  }
  return { authorize }
})
