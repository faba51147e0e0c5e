/** Authenticates and authorizes a request before it is decoded: 401 and 403 as in RFC 6750, with 429 in between. */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { effectiveScopes, type Scope } from "@pulumi-vps/contract/Scope"
import type { Standing } from "../../domain/Gcra.ts"
import { Authentication, type Identity, type KeyRejection } from "../../auth/Authentication.ts"
import { RequestRateLimits } from "../../ratelimit/RequestRateLimits.ts"
import { errorResponse } from "../Errors.ts"
import { exceeded, makeAnonymousLimit, tooManyRequests, withRateLimits } from "./RateLimitHeaders.ts"

const REALM = "Bearer realm=\"vps\""

const missingKey = () =>
  errorResponse(401, "An API key is required. Send it as `Authorization: Bearer <key>`.", { "www-authenticate": REALM })

const MESSAGES: Readonly<Record<KeyRejection, string>> = {
  invalid: "The API key is invalid.",
  expired: "The API key has expired. Create a new one.",
  revoked: "The API key has been revoked. Create a new one."
}

const unusableKey = (rejection: KeyRejection) =>
  errorResponse(401, MESSAGES[rejection], {
    "www-authenticate": `${REALM}, error="invalid_token", error_description="${MESSAGES[rejection]}"`
  })

const insufficientScope = (scope: Scope) =>
  errorResponse(403, `The API key lacks the scope ${scope}.`, {
    "www-authenticate": `${REALM}, error="insufficient_scope", scope="${scope}"`
  })

const isAllowed = (key: Identity, scope: Scope | undefined): boolean =>
  scope === undefined || effectiveScopes(key.scopes).includes(scope)

/** Adds the rate limit headers, unless limits are off. */
const withStandings = (
  response: HttpServerResponse,
  standings: ReadonlyArray<Standing> | undefined
): HttpServerResponse => standings === undefined ? response : withRateLimits(response, standings)

const SCHEME = /^bearer +/i

/** The request's bearer token; empty if there is none. */
const bearerToken = ({ headers }: HttpServerRequest): string => {
  const header = headers["authorization"] ?? ""
  const scheme = SCHEME.exec(header)
  return scheme === null ? "" : header.slice(scheme[0].length)
}

type Work<R> = Effect.Effect<HttpServerResponse, never, R>

/** Built with a layer. */
export const makeAuthorization = Effect.gen(function*() {
  const { identify } = yield* Authentication
  const limits = yield* RequestRateLimits
  const countAnonymous = yield* makeAnonymousLimit

  /** Rejections are rate-limited by address, because there is no account to count them for. */
  const reject = (request: HttpServerRequest, response: HttpServerResponse) => {
    const { rejection, standings } = countAnonymous(request)
    return rejection ?? withStandings(response, standings)
  }
  /** Runs `work` for an authorized request, adding the rate limit headers; rejects any other. */
  const authorize = <R>(request: HttpServerRequest, scope: Scope | undefined, work: (key: Identity) => Work<R>) => {
    const token = bearerToken(request)
    if (token === "") return Effect.succeed(reject(request, missingKey()))
    return Effect.flatMap(identify(token), (key): Work<R> => {
      if (typeof key === "string") return Effect.succeed(reject(request, unusableKey(key)))
      const standings = limits.request(key.accountId, key.id)
      if (standings !== undefined && exceeded(standings) !== undefined) {
        return Effect.succeed(tooManyRequests("requests", standings))
      }
      if (!isAllowed(key, scope)) return Effect.succeed(withStandings(insufficientScope(scope!), standings))
      return standings === undefined
        ? work(key)
        : Effect.map(work(key), (response) => withRateLimits(response, standings))
    })
  }
  return { authorize }
})
