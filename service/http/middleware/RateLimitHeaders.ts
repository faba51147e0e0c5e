/**
 * The headers of draft-ietf-httpapi-ratelimit-headers, the 429 when a limit is exceeded, and the limit for requests of
 * an address that no account can be charged with.
 */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { Rate, Standing } from "../../domain/Gcra.ts"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { RequestRateLimits } from "../../ratelimit/RequestRateLimits.ts"
import { TrustedProxies } from "../connection/ClientAddress.ts"

const MILLIS = 1_000

const seconds = (millis: number): number => Math.ceil(millis / MILLIS)

/** Cached, because there are few rates and each response has them. The draft allows parameters such as `burst`. */
const policies = new WeakMap<Rate, string>()

const policy = (rate: Rate): string => {
  const cached = policies.get(rate)
  if (cached !== undefined) return cached
  const burst = rate.burst === rate.quota ? "" : `;burst=${rate.burst}`
  const text = `"${rate.name}";q=${rate.quota};w=${seconds(rate.windowMillis)}${burst}`
  policies.set(rate, text)
  return text
}

/** `r` requests are left now; the whole burst is available again in `t` seconds. */
const state = ({ rate, remaining, resetMillis }: Standing): string =>
  `"${rate.name}";r=${remaining};t=${seconds(resetMillis)}`

type Headers = Record<string, string>

/** The applied policies, and the caller's state in each. */
export const rateLimitHeaders = (standings: ReadonlyArray<Standing>): Headers => ({
  "ratelimit-policy": standings.map(({ rate }) => policy(rate)).join(", "),
  ratelimit: standings.map(state).join(", ")
})

/** Adds the headers to a response, after those that its handler has set. */
export const withRateLimits = (response: HttpServerResponse.HttpServerResponse, standings: ReadonlyArray<Standing>) => {
  const headers = rateLimitHeaders(standings)
  for (const name of Object.keys(headers)) {
    const existing = response.headers[name]
    if (existing !== undefined) headers[name] = `${existing}, ${headers[name]}`
  }
  return HttpServerResponse.setHeaders(response, headers)
}

/** The first exceeded rate; undefined if the request is allowed. */
export const exceeded = (standings: ReadonlyArray<Standing>): Standing | undefined =>
  standings.find(({ allowed }) => !allowed)

/** Seconds until every rate allows a request. */
const retryAfter = (standings: ReadonlyArray<Standing>): number =>
  Math.max(1, ...standings.map(({ retryMillis }) => seconds(retryMillis)))

const UNITS: Readonly<Record<number, string>> = { 60: "minute", 3600: "hour" }

const describe = ({ burst, name, quota, windowMillis }: Rate): string => {
  const window = seconds(windowMillis)
  const atOnce = burst === quota ? "" : `, and ${burst} at once,`
  return `${quota} per ${UNITS[window] ?? `${window} s`}${atOnce} are allowed (${name})`
}

/** A 429 with the rate limit headers. `what` names the limited action. */
export const tooManyRequests = (
  what: string,
  standings: ReadonlyArray<Standing>
): HttpServerResponse.HttpServerResponse => {
  const wait = retryAfter(standings)
  const rate = (exceeded(standings) ?? standings[0]!).rate
  const detail = `Too many ${what}: ${describe(rate)}. Try again in ${wait} s.`
  return HttpServerResponse.jsonUnsafe({ detail }, {
    status: 429,
    headers: { ...rateLimitHeaders(standings), "retry-after": String(wait) }
  })
}

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
