/** How many requests an account, a key, or an address that shows no valid key may send; all in memory. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../config/Config.ts"
import { type Rate, refrained, type Standing } from "../domain/Gcra.ts"
import { Limits, type LimitValues } from "../config/Limits.ts"
import { Buckets } from "./Buckets.ts"

const MINUTE = 60_000

const perMinute = (name: string, quota: number, burst: number): Rate => ({ name, quota, windowMillis: MINUTE, burst })

/** A key gets half of its account's, so that no single program uses all of it up. */
const half = (whole: number): number => Math.max(1, Math.floor(whole / 2))

const makeBuckets = (limits: LimitValues) => {
  const { ACCOUNT_REQUESTS_BURST: burst, ACCOUNT_REQUESTS_PER_MINUTE: quota } = limits
  const rates = [
    perMinute("account", quota, burst),
    perMinute("key", half(quota), half(burst)),
    perMinute("unauthenticated", limits.UNAUTHENTICATED_PER_MINUTE, limits.UNAUTHENTICATED_BURST)
  ] as const
  const [account, key, address] = rates
  const make = (rate: Rate) => new Buckets(rate, limits.RATE_BUCKETS_MAX)
  return [make(account), make(key), make(address)] as const
}

export class RequestLimits extends Context.Service<RequestLimits, {
  /** Takes one request of an account and its key, unless either has none left; undefined when limits are off. */
  readonly request: (accountId: number, keyId: number) => ReadonlyArray<Standing> | undefined
  /** Takes one refusal for want of a valid key; undefined when limits are off. */
  readonly refusal: (address: string) => ReadonlyArray<Standing> | undefined
  /** Everybody is as good as new. */
  readonly forget: Effect.Effect<void>
}>()("pulumi-vps/service/RequestLimits") {}

const HEXTETS = 8

/** The hextets of one network: /64. */
const NETWORK = 4

const hextets = (part: string): ReadonlyArray<string> => part === "" ? [] : part.split(":")

/** Who has an IPv6 address has the 2^64 beside it, so one network is one caller. */
export const callerAt = (address: string): string => {
  if (!address.includes(":")) return address
  const [head, tail] = address.split("::").map(hextets)
  const zeros = Array.from({ length: tail === undefined ? 0 : HEXTETS - head!.length - tail.length }, () => "0")
  const all = [...head!, ...zeros, ...tail ?? []]
  return all.slice(0, NETWORK).map((hextet) => hextet.replace(/^0+(?=.)/, "")).join(":")
}

const NANOS_PER_MILLI = 1_000_000n

const limited = (limits: LimitValues, now: () => number): RequestLimits["Service"] => {
  const [accounts, keys, addresses] = makeBuckets(limits)
  return {
    request: (accountId, keyId) => {
      const at = now()
      const account = accounts.ask(accountId, at)
      const key = keys.ask(keyId, at)
      if (!account.allowed || !key.allowed) return [account, key].map(refrained)
      accounts.take(accountId, account, at)
      keys.take(keyId, key, at)
      return [account, key]
    },
    refusal: (address) => {
      const at = now()
      const caller = callerAt(address)
      const standing = addresses.ask(caller, at)
      if (standing.allowed) addresses.take(caller, standing, at)
      return [standing]
    },
    forget: Effect.sync(() => {
      for (const buckets of [accounts, keys, addresses]) buckets.clear()
    })
  }
}

const UNLIMITED: RequestLimits["Service"] = {
  request: () => undefined,
  refusal: () => undefined,
  forget: Effect.void
}

/** Counted in monotonic time: nobody is shut out because the clock was set back. In an emulator, in its own time. */
export const layer = Layer.effect(
  RequestLimits,
  Effect.gen(function*() {
    const { rateLimits } = yield* Config
    const limits = yield* Limits
    const clock = yield* Clock.Clock
    return rateLimits ? limited(limits, () => Number(clock.monotonicTimeNanosUnsafe() / NANOS_PER_MILLI)) : UNLIMITED
  })
)
