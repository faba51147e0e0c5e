/** Rates on the wire: the fields of draft-ietf-httpapi-ratelimit-headers, and the 429 when one is used up. */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Rate, Standing } from "../../domain/Gcra.ts"

const MILLIS = 1_000

const seconds = (millis: number): number => Math.ceil(millis / MILLIS)

/** Rates are few and on every answer. */
const policies = new WeakMap<Rate, string>()

const policy = (rate: Rate): string => {
  const known = policies.get(rate)
  if (known !== undefined) return known
  const text = `"${rate.name}";q=${rate.quota};w=${seconds(rate.windowMillis)}`
  policies.set(rate, text)
  return text
}

/** `r` may be sent at once; after `t` seconds all of the burst is free again. */
const state = ({ rate, remaining, resetMillis }: Standing): string =>
  `"${rate.name}";r=${remaining};t=${seconds(resetMillis)}`

type Headers = Record<string, string>

/** The policies that were applied, and how the caller stands with each. */
export const rateLimitHeaders = (standings: ReadonlyArray<Standing>): Headers => ({
  "ratelimit-policy": standings.map(({ rate }) => policy(rate)).join(", "),
  ratelimit: standings.map(state).join(", ")
})

/** An answer that says how the caller stands; what a handler said before comes first. */
export const withRateLimits = (response: HttpServerResponse.HttpServerResponse, standings: ReadonlyArray<Standing>) => {
  const headers = rateLimitHeaders(standings)
  for (const name of Object.keys(headers)) {
    const before = response.headers[name]
    if (before !== undefined) headers[name] = `${before}, ${headers[name]}`
  }
  return HttpServerResponse.setHeaders(response, headers)
}

/** The first rate that is used up; undefined when the request is let in. */
export const exceeded = (standings: ReadonlyArray<Standing>): Standing | undefined =>
  standings.find(({ allowed }) => !allowed)

/** When to come back: when every rate lets one in. */
const retryAfter = (standings: ReadonlyArray<Standing>): number =>
  Math.max(1, ...standings.map(({ retryMillis }) => seconds(retryMillis)))

const UNITS: Readonly<Record<number, string>> = { 60: "minute", 3600: "hour" }

const words = ({ quota, windowMillis }: Rate): string => {
  const window = seconds(windowMillis)
  return `${quota} per ${UNITS[window] ?? `${window} s`}`
}

/** 429, with the headers that tell why and until when. `what` is limited. */
export const tooManyRequests = (
  what: string,
  standings: ReadonlyArray<Standing>
): HttpServerResponse.HttpServerResponse => {
  const wait = retryAfter(standings)
  const rate = (exceeded(standings) ?? standings[0]!).rate
  const detail = `Too many ${what}: ${words(rate)} are allowed (${rate.name}). Try again in ${wait} s.`
  return HttpServerResponse.jsonUnsafe({ detail }, {
    status: 429,
    headers: { ...rateLimitHeaders(standings), "retry-after": String(wait) }
  })
}
