/** Limits the requests of an address that no account can be charged with. */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Standing } from "../../domain/Gcra.ts"
import { RequestRateLimits } from "../../ratelimit/RequestRateLimits.ts"
import { TrustedProxies } from "../connection/ClientAddress.ts"
import { exceeded, tooManyRequests } from "./RateLimitHeaders.ts"

interface Counted {
  /** The 429, if the limit is exceeded. */
  readonly rejection: HttpServerResponse.HttpServerResponse | undefined
  /** Undefined when limits are off. */
  readonly standings: ReadonlyArray<Standing> | undefined
}

/** Takes one request. Built with a layer. */
export const makeAnonymousLimit = Effect.gen(function*() {
  const { anonymous } = yield* RequestRateLimits
  const { clientAddress, isProxied } = yield* TrustedProxies
  return (request: HttpServerRequest): Counted => {
    const standings = anonymous(clientAddress(request))
    if (standings === undefined || exceeded(standings) === undefined) return { rejection: undefined, standings }
    const rejection = tooManyRequests("requests without a valid key from this address", standings)
    // Closing the connection discards the requests behind this one. A proxy's connection has those of other clients.
    return {
      rejection: isProxied(request) ? rejection : HttpServerResponse.setHeader(rejection, "connection", "close"),
      standings
    }
  }
})
