/** Prices from dry runs, cached for orders that differ only in what the price does not depend on. */
import type { CreateInstance, DryRun } from "@pulumi-vps/sdk/client/Records"
import type { Api } from "../api/Api.ts"
import { explain, statusOf } from "../api/Errors.ts"
import { present } from "../definition/Properties.ts"
import type { CheckFailure } from "../definition/Definition.ts"
import { minor } from "./Money.ts"

export interface PlannedPurchase {
  readonly key: string
  /** The name of the resource in the program. */
  readonly name: string
  readonly generation: number
  /** Without the values that are unknown in a preview. */
  readonly body: CreateInstance
  readonly maxCharge: number | undefined
  /** The inputs among those that limit or lower the charge whose values are unknown in a preview. */
  readonly unknown: ReadonlyArray<"couponCode" | "maxCharge">
}

/**
 * Purchases of a process, after the first of each plan, that are looked up by their own keys: one request each, which
 * a check waits for. An update that buys more instances than that seldom buys under names that have bought before.
 */
const MAX_LOOKUPS = 10

/** Longest host name in text form, RFC 1035. */
const HOSTNAME_MAX = 253

const PLAIN_LABEL = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** True for the usual host names, which every service accepts; others are judged by the service. */
const isPlainHostname = (text: string): boolean =>
  text.length <= HOSTNAME_MAX && text.split(".").every((label) => PLAIN_LABEL.test(label))

/** The part of an order on which a dry run depends: instances that differ only in the rest share one. */
const judgedPart = ({ coupon_code, hostname, os, service_id, ssh_pubkey }: CreateInstance): CreateInstance => {
  const unusual = typeof hostname === "string" && !isPlainHostname(hostname) ? hostname : undefined
  return present({ service_id, hostname: unusual, os, ssh_pubkey, coupon_code }) as unknown as CreateInstance
}

const cacheKey = (body: CreateInstance): string => JSON.stringify(judgedPart(body))

/**
 * The outcome of a dry run: a price, a purchase that its key has already made, a refusal of this order, a price that is
 * not available, or another error.
 */
export type Quote =
  | { readonly kind: "purchased" }
  | { readonly kind: "priced"; readonly dryRun: DryRun }
  | { readonly kind: "refused"; readonly failure: CheckFailure }
  | { readonly kind: "unpriced"; readonly reason: string }
  | { readonly kind: "broken"; readonly reason: string }

export interface Balance {
  /** Minor units. */
  readonly units: number
  readonly currency: string
}

export class Quotes {
  readonly #api: Api
  readonly #quotes = new Map<string, Promise<Quote>>()
  #lookups = 0
  /** The wallet balance at the first dry run of this process. */
  balance: Balance | undefined

  constructor(api: Api) {
    this.#api = api
  }

  /** With a key, also looks for its purchase, as far as `MAX_LOOKUPS` allows. */
  async get(body: CreateInstance, key?: string): Promise<Quote> {
    const id = cacheKey(body)
    const cached = this.#quotes.get(id)
    if (cached !== undefined) {
      if (key === undefined || this.#lookups >= MAX_LOOKUPS) return await cached
      this.#lookups++
      return await this.isPurchased(body, key) ? { kind: "purchased" } : await cached
    }
    const requested = this.#request(key === undefined ? judgedPart(body) : body, key)
    this.#quotes.set(id, requested)
    const quote = await requested
    if (quote.kind === "purchased") this.#quotes.delete(id)
    return quote
  }

  /** True if both orders share a price. */
  isSame(one: CreateInstance, other: CreateInstance): boolean {
    return cacheKey(one) === cacheKey(other)
  }

  /** The next call requests the price again. */
  forget(body: CreateInstance): void {
    this.#quotes.delete(cacheKey(body))
  }

  /** The wallet balance; undefined when a dry run of this plan does not show it. */
  async balanceFor(serviceId: number): Promise<Balance | undefined> {
    if (this.balance === undefined) await this.get({ service_id: serviceId })
    return this.balance
  }

  /** True when this key has already bought: then no lack of money, coupon or plan may stop the run. */
  async isPurchased(body: CreateInstance, key: string): Promise<boolean> {
    // The caller reports the first error.
    return (await this.#request(body, key)).kind === "purchased"
  }

  async #request(body: CreateInstance, key: string | undefined): Promise<Quote> {
    try {
      const dryRun = await this.#api.dryRun(body, key)
      this.balance ??= { units: minor(dryRun.wallet_balance), currency: dryRun.currency }
      const { charge_amount, sufficient_funds, would_create } = dryRun
      const isPurchased = key !== undefined && !would_create && charge_amount === 0 && sufficient_funds
      return isPurchased ? { kind: "purchased" } : { kind: "priced", dryRun }
    } catch (error) {
      return classify(error, body)
    }
  }
}

/** The inputs by their names in the order. Without the SSH key: the engine would print all of it with an error. */
const INPUTS: Readonly<Record<string, string>> = { hostname: "hostname", os: "os", coupon_code: "couponCode" }

const classify = (error: unknown, body: CreateInstance): Quote => {
  const { coupon_code: couponCode, service_id: serviceId } = body
  const status = statusOf(error)
  const reason = explain(error)
  if (status === 403 || status === 429) return { kind: "unpriced", reason }
  if (status === 404) {
    return {
      kind: "refused",
      failure: { property: "serviceId", reason: `plan ${serviceId} cannot be bought: ${reason}` }
    }
  }
  if (status === 400 || status === 422) {
    const field = /\bbody\.(\w+):/.exec(reason)?.[1]
    const property = field === undefined ? couponCode ? "couponCode" : "serviceId" : INPUTS[field] ?? ""
    return { kind: "refused", failure: { property, reason: `this purchase was refused: ${reason}` } }
  }
  return { kind: "broken", reason: `the charge is not available: ${reason}` }
}
