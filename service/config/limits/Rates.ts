/** The rate limits. A new one is a row of `REQUEST_RATES`, with its limits in `RATE_LIMITS`. */
import { limit } from "../Limit.ts"

export const RATE_LIMITS = {
  ACCOUNT_REQUESTS_PER_MINUTE: limit(
    600,
    "requests per minute",
    "Requests of an account: ten a second are enough for a program that waits sensibly. Each key gets half of it."
  ),
  ACCOUNT_REQUESTS_BURST: limit(
    120,
    "requests",
    "Requests allowed at once: a refresh of a hundred instances. Each key gets half of it."
  ),
  UNAUTHENTICATED_PER_MINUTE: limit(
    60,
    "responses per minute",
    "401 responses per address: a program with a wrong key notices soon, and guessing keys is hopeless anyway."
  ),
  UNAUTHENTICATED_BURST: limit(
    30,
    "responses",
    "401 responses that an address may get at once: an office behind one address mistypes more than one key."
  ),
  CREATES_PER_MINUTE: limit(
    10,
    "creates per minute",
    "Instances that an account may buy: a stolen key is noticed before it has bought a fleet."
  ),
  CREATES_PER_HOUR: limit(
    60,
    "creates per hour",
    "Instances that an account may buy, against a slow thief. Operators raise both limits for accounts they trust."
  ),
  RATE_BUCKETS_MAX: limit(
    100_000,
    "callers",
    "Maximum number of callers tracked per rate, about 10 megabytes: a flood of addresses must not fill memory."
  )
}

/** The authenticated caller of a request. */
export interface RateSubject {
  readonly accountId: number
  readonly keyId: number
}

export interface RequestRate {
  /** The name in the `RateLimit` headers. */
  readonly name: string
  /** The limit of requests per minute. */
  readonly quota: keyof typeof RATE_LIMITS
  readonly burst: keyof typeof RATE_LIMITS
  /** The part of both limits that this rate allows. */
  readonly share: number
}

/** The rates of authenticated requests, each with what it counts by. */
export const REQUEST_RATES = [
  {
    name: "account",
    quota: "ACCOUNT_REQUESTS_PER_MINUTE",
    burst: "ACCOUNT_REQUESTS_BURST",
    share: 1,
    countBy: ({ accountId }) => accountId
  },
  // A key gets half of its account's rate, so that no single program can use all of it.
  {
    name: "key",
    quota: "ACCOUNT_REQUESTS_PER_MINUTE",
    burst: "ACCOUNT_REQUESTS_BURST",
    share: 0.5,
    countBy: ({ keyId }) => keyId
  }
] satisfies ReadonlyArray<RequestRate & { readonly countBy: (subject: RateSubject) => number }>

/** The rate of requests without a valid key, counted by address. */
export const UNAUTHENTICATED_RATE: RequestRate = {
  name: "unauthenticated",
  quota: "UNAUTHENTICATED_PER_MINUTE",
  burst: "UNAUTHENTICATED_BURST",
  share: 1
}
