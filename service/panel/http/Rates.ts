/** The rates of calls: of a person and their account, of an address that signs in, of one without a session. */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { Config } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import { exceeded, makeAnonymousLimit, tooManyRequests } from "../../http/middleware/RateLimitHeaders.ts"
import { Buckets } from "../../ratelimit/Buckets.ts"
import { RequestRateLimits, subjectOf } from "../../ratelimit/RequestRateLimits.ts"
import { ServiceRuntime } from "../../ServiceRuntime.ts"
import type { SignedIn } from "../../people/SignIn.ts"
import { accountIn } from "./Permission.ts"
import type { Found } from "./Handlers.ts"
import type { Visit } from "./Visitor.ts"

const HOUR_MILLIS = 3_600_000

/** The calls that count as attempts to sign in. One that succeeds no longer counts, unless it requested a mail. */
const ATTEMPTS: ReadonlySet<string> = new Set(
  ["link", "passkey", "invitation", "invitation/accept", "invitation/decline", "mail"].map((name) =>
    `/panel/api/sign-in/${name}`
  )
)
const MAIL = "/panel/api/sign-in/mail"

const FORBIDDEN = 403

const makeAttempts = Effect.gen(function*() {
  const { RATE_BUCKETS_MAX, SIGN_INS_PER_HOUR: quota } = yield* Limits
  const { rateLimits } = yield* (yield* ServiceRuntime).run(Config)
  const buckets = new Buckets({ name: "sign-ins", quota, burst: quota, windowMillis: HOUR_MILLIS }, RATE_BUCKETS_MAX)
  const counts = ({ route: { path } }: Found) => rateLimits && ATTEMPTS.has(path)
  return {
    take: (found: Found, { browser: { address } }: Visit): HttpServerResponse | undefined => {
      if (!counts(found)) return undefined
      const now = performance.now()
      const standing = buckets.check(subjectOf(address), now)
      if (!standing.allowed) return tooManyRequests("refused attempts to sign in", [standing])
      buckets.take(subjectOf(address), standing, now)
      return undefined
    },
    ended: (found: Found, { browser: { address } }: Visit, { status }: HttpServerResponse): void => {
      if (counts(found) && status !== FORBIDDEN && found.route.path !== MAIL) buckets.giveBack(subjectOf(address))
    }
  }
})

/** Each takes one call, and returns the 429 if that is one too many. */
export interface Rates {
  readonly rejected: (request: HttpServerRequest) => HttpServerResponse | undefined
  /** A call that needs no session. */
  readonly visited: (found: Found, visit: Visit, request: HttpServerRequest) => HttpServerResponse | undefined
  /** The end of such a call: only refused attempts to sign in count. */
  readonly ended: (found: Found, visit: Visit, response: HttpServerResponse) => void
  readonly admitted: (found: Found, signedIn: SignedIn) => HttpServerResponse | undefined
}

export const makeRates = Effect.gen(function*() {
  const countAnonymous = yield* makeAnonymousLimit
  const attempts = yield* makeAttempts
  const { request: countRequest } = yield* RequestRateLimits
  return {
    rejected: (request) => countAnonymous(request).rejection,
    visited: (found, visit, request) => countAnonymous(request).rejection ?? attempts.take(found, visit),
    ended: attempts.ended,
    admitted: (found, { person: { id } }) => {
      // No account and no key has a negative id, so people have rates of their own.
      const standings = countRequest(accountIn(found) ?? -id, -id)
      return standings === undefined || exceeded(standings) === undefined
        ? undefined
        : tooManyRequests("requests", standings)
    }
  } satisfies Rates
})
