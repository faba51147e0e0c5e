/** Limits the requests of an account, of a key, and of an address without a valid key; all in memory. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../config/Config.ts"
import { Limits, type LimitValues } from "../config/Limits.ts"
import { type Standing, withoutTaking } from "../domain/Gcra.ts"
import { Buckets } from "./Buckets.ts"
import { REQUEST_RATES, type RequestRate, UNAUTHENTICATED_RATE } from "../config/limits/Rates.ts"

export class RequestRateLimits extends Context.Service<RequestRateLimits, {
  /** Takes one request of an account and its key, unless either limit is reached; undefined when limits are off. */
  readonly request: (accountId: number, keyId: number) => ReadonlyArray<Standing> | undefined
  /** Takes one request without a valid key; undefined when limits are off. */
  readonly anonymous: (address: string) => ReadonlyArray<Standing> | undefined
  readonly reset: Effect.Effect<void>
}>()("@pulumi-vps/service/RequestRateLimits") {}

const MINUTE = 60_000

const HEXTETS = 8

/** The number of hextets of one network: /64. */
const NETWORK = 4

const hextets = (part: string): ReadonlyArray<string> => part === "" ? [] : part.split(":")

/** The subject that an address counts for. A client with an IPv6 address has its whole /64, so that is one subject. */
export const subjectOf = (address: string): string => {
  if (!address.includes(":")) return address
  const [head, tail] = address.split("::").map(hextets)
  const zeros = Array.from({ length: tail === undefined ? 0 : HEXTETS - head!.length - tail.length }, () => "0")
  const all = [...head!, ...zeros, ...tail ?? []]
  return all.slice(0, NETWORK).map((hextet) => hextet.replace(/^0+(?=.)/, "")).join(":")
}

const bucketsFor = (limits: LimitValues) => ({ burst, name, quota, share }: RequestRate): Buckets => {
  const part = (whole: number): number => Math.max(1, Math.floor(whole * share))
  const rate = { name, quota: part(limits[quota]), windowMillis: MINUTE, burst: part(limits[burst]) }
  return new Buckets(rate, limits.RATE_BUCKETS_MAX)
}

const NANOS_PER_MILLI = 1_000_000n

const limited = (limits: LimitValues, now: () => number): RequestRateLimits["Service"] => {
  const make = bucketsFor(limits)
  const rates = REQUEST_RATES.map((rate) => ({ buckets: make(rate), countBy: rate.countBy }))
  const addresses = make(UNAUTHENTICATED_RATE)
  return {
    request: (accountId, keyId) => {
      const at = now()
      const caller = { accountId, keyId }
      const standings = rates.map(({ buckets, countBy }) => buckets.check(countBy(caller), at))
      if (standings.some(({ allowed }) => !allowed)) return standings.map(withoutTaking)
      for (const [index, { buckets, countBy }] of rates.entries()) buckets.take(countBy(caller), standings[index]!, at)
      return standings
    },
    anonymous: (address) => {
      const at = now()
      const subject = subjectOf(address)
      const standing = addresses.check(subject, at)
      if (standing.allowed) addresses.take(subject, standing, at)
      return [standing]
    },
    reset: Effect.sync(() => {
      for (const { buckets } of rates) buckets.clear()
      addresses.clear()
    })
  }
}

const UNLIMITED: RequestRateLimits["Service"] = {
  request: () => undefined,
  anonymous: () => undefined,
  reset: Effect.void
}

/** Uses monotonic time, so that setting the clock back locks no client out. In an emulator, uses its clock. */
export const layer = Layer.effect(
  RequestRateLimits,
  Effect.gen(function*() {
    const { rateLimits } = yield* Config
    const limits = yield* Limits
    const clock = yield* Clock.Clock
    return rateLimits ? limited(limits, () => Number(clock.monotonicTimeNanosUnsafe() / NANOS_PER_MILLI)) : UNLIMITED
  })
)
