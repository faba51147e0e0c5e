/** The wallet in the preview: the total charge of one update, checked against the balance and the limits. */
import type { MaxCharge } from "@pulumi-vps/sdk/client/options/Options"
import type { CreateInstance, DryRun } from "@pulumi-vps/sdk/client/Records"
import type { Api, CreateResult } from "../api/Api.ts"
import { raisedChargeOf, UserError } from "../api/Errors.ts"
import type { Settings } from "../Config.ts"
import type { CheckFailure } from "../definition/Definition.ts"
import type { Host } from "../engine/Host.ts"
import { Mutex } from "../waiting/Retry.ts"
import { type Charge, refusedCharge, UpdateCharges } from "./ChargeLimits.ts"
import { alreadyBoughtText, purchaseText, sharedCouponText, unpricedText, vanishedPurchase } from "./Messages.ts"
import { chargedFor } from "./InstanceDetails.ts"
import { formatAmount, formatMinor, minor } from "./Money.ts"
import type { PurchaseHistory } from "./PurchaseHistory.ts"
import { type Balance, type PlannedPurchase, Quotes } from "./Quotes.ts"

export interface PlannedResize {
  readonly key: string
  /** The name of the resource in the program. */
  readonly name: string
  readonly serviceId: number
  /** For messages: "resizing instance 1 from vps-s to vps-m". */
  readonly action: string
  readonly charge: number
  readonly currency: string
  readonly maxCharge: number | undefined
}

/** The properties that were approved. */
interface Approval {
  readonly key: string
  readonly serviceId: number
  readonly couponCode?: string | null | undefined
  readonly maxCharge: number | undefined
}

const fingerprint = ({ couponCode, maxCharge, serviceId }: Approval): string =>
  JSON.stringify([serviceId, couponCode ?? null, maxCharge ?? null])

const approvalOf = ({ body, key, maxCharge }: PlannedPurchase): Approval => ({
  key,
  serviceId: body.service_id,
  couponCode: body.coupon_code,
  maxCharge
})

export class Wallet {
  readonly #quotes: Quotes
  readonly #settings: Settings
  readonly #host: Host
  readonly #purchases: PurchaseHistory
  readonly #charges = new UpdateCharges()
  readonly #planned = new Map<string, PlannedPurchase>()
  /** Fingerprints by the same key. A policy pack may change inputs after `check`, and the engine checks no more. */
  readonly #approved = new Map<string, string>()
  /** The charges that were shown, by the same key: requests send them, so that no higher one is made. */
  readonly #shown = new Map<string, MaxCharge>()
  /** Charges are approved one after the other: each must see all before it. */
  readonly #mutex = new Mutex()

  constructor(api: Api, settings: Settings, host: Host, purchases: PurchaseHistory) {
    this.#purchases = purchases
    this.#quotes = new Quotes(api)
    this.#settings = settings
    this.#host = host
  }

  /** Approves a purchase in `check`, together with all earlier ones, and shows its charge. */
  planPurchase(planned: PlannedPurchase): Promise<ReadonlyArray<CheckFailure>> {
    return this.#mutex.run("approve", () => this.#approvePurchase(planned))
  }

  async #approvePurchase(planned: PlannedPurchase): Promise<ReadonlyArray<CheckFailure>> {
    const { body, key, name } = planned
    const { words } = this.#settings
    if (this.hasPlanned(approvalOf(planned))) return []
    this.forget(planned)
    const quote = await this.#quotes.get(body, key)
    if (quote.kind === "purchased") return await this.#boughtUnlisted(planned)
    if (quote.kind === "unpriced") {
      this.#host.warn(`${name}: the charge is not available in the preview: ${quote.reason}`)
      return []
    }
    if (quote.kind === "broken") return [{ property: "", reason: quote.reason }]
    const charge = quote.kind === "priced" ? chargeOf(quote.dryRun, planned) : undefined
    const failure = quote.kind === "refused" ? quote.failure : charge && this.#refuse(charge)
    if (failure !== undefined && await this.#quotes.isPurchased(body, key)) return await this.#boughtUnlisted(planned)
    if (failure !== undefined && (charge === undefined || await this.#isStillRefused(charge))) {
      if (charge === undefined || !planned.unknown.includes("couponCode")) return [failure]
      this.#host.warn(
        `${name}: ${failure.reason}. ${words.input("couponCode")} is unknown in this preview, and may lower the charge`
      )
    }
    if (quote.kind === "priced") this.#announce(planned, quote.dryRun)
    return []
  }

  /** Approves a resize like a purchase. An upgrade charges at once; a downgrade charges nothing and shows nothing. */
  planResize(resize: PlannedResize): Promise<ReadonlyArray<CheckFailure>> {
    return this.#mutex.run("approve", () => this.#approveResize(resize))
  }

  async #approveResize(resize: PlannedResize): Promise<ReadonlyArray<CheckFailure>> {
    const { charge: amount, currency, maxCharge, name, serviceId } = resize
    if (this.hasPlanned(resize)) return []
    this.forget(resize)
    await this.#quotes.balanceFor(serviceId)
    const charge = { units: minor(amount), currency, maxCharge, uncovered: false }
    const failure = this.#refuse(charge)
    if (failure !== undefined && await this.#isStillRefused(charge)) return [failure]
    this.#approve(resize, { amount, currency })
    if (amount > 0) {
      this.#host.info(`${name}: ${resize.action} charges ${formatAmount(amount, currency)} now${this.#after(currency)}`)
    }
    return []
  }

  /** Approves a resize that charges nothing, or an estimate that no limit applies to: it counts toward no total. */
  approveWithoutCharge(wanted: Approval): void {
    this.forget(wanted)
    this.#approved.set(wanted.key, fingerprint(wanted))
  }

  /** Announces a purchase whose charge cannot be requested because these inputs are unknown. */
  announceUnknown(name: string, unknown: ReadonlyArray<string>, maxCharge: number | undefined): void {
    this.#host.info(unpricedText(this.#settings.words, name, unknown, maxCharge))
  }

  /** True when this process has approved exactly this purchase or resize. */
  hasPlanned(wanted: Approval): boolean {
    return this.#approved.get(wanted.key) === fingerprint(wanted)
  }

  /** True when it was approved with another plan, coupon or limit. */
  hasChanged(planned: PlannedPurchase): boolean {
    return this.#approved.has(planned.key) && !this.hasPlanned(approvalOf(planned))
  }

  /** The name of the limit that applies to a charge; undefined without one. */
  limitName(maxCharge: number | undefined): "maxCharge" | "maxChargePerUpdate" | undefined {
    if (maxCharge !== undefined) return "maxCharge"
    return this.#settings.maxChargePerUpdate === undefined ? undefined : "maxChargePerUpdate"
  }

  /** True when a limit applies to the charge. */
  isLimited(maxCharge: number | undefined): boolean {
    return this.limitName(maxCharge) !== undefined
  }

  /**
   * The last check before the POST: a limit that the preview could not check (429, or a key without permission) is
   * checked now, or nothing is bought.
   * @throws UserError when the charge exceeds a limit, or is still unknown.
   */
  async guard(planned: PlannedPurchase): Promise<void> {
    if (!this.isLimited(planned.maxCharge) || this.hasPlanned(approvalOf(planned))) return
    this.#quotes.forget(planned.body)
    const failures = await this.planPurchase(planned)
    const reasons = failures.map((failure) => failure.reason)
    if (reasons.length === 0 && !this.hasPlanned(approvalOf(planned))) {
      reasons.push("the charge could not be checked against the limit")
    }
    if (reasons.length > 0) {
      throw new UserError(`${planned.name} was not bought: ${reasons.join("; ")}. Nothing was charged.`)
    }
  }

  /**
   * Sends a purchase that `guard` has let pass, with the charge that was shown as its limit. It counts in this update
   * unless it turns out to cost nothing.
   */
  async order(planned: PlannedPurchase, send: (limit: MaxCharge | undefined) => Promise<CreateResult>) {
    const { key, name } = planned
    const limit = this.limitOf(approvalOf(planned))
    try {
      const result = await this.#charges.order(key, name, () => send(limit))
      const charged = result.replayed ? undefined : chargedFor(result.instance)
      if (charged !== undefined && limit !== undefined) this.#compare(planned, charged, limit)
      return result
    } catch (error) {
      // The others keep the charge that was shown, so they are refused, too.
      if (raisedChargeOf(error) !== undefined) {
        this.#quotes.forget(planned.body)
        this.forget(planned)
      }
      throw error
    }
  }

  /** A price that differs is requested again. A service that ignores the limit may have charged more. */
  #compare({ body, name }: PlannedPurchase, charged: number, { amount, currency }: MaxCharge): void {
    if (charged === amount) return
    this.#quotes.forget(body)
    if (charged < amount) return
    this.#host.warn(
      `${name}: the service charged ${formatAmount(charged, currency)}, although it had shown `
        + formatAmount(amount, currency)
    )
    for (const other of this.#planned.values()) {
      if (this.#quotes.isSame(other.body, body) && !this.#charges.isSent(other.key)) this.forget(other)
    }
  }

  /** The charge that was shown for exactly this purchase or resize; undefined if none was. */
  limitOf(wanted: Approval): MaxCharge | undefined {
    return this.hasPlanned(wanted) ? this.#shown.get(wanted.key) : undefined
  }

  /** Provisioning failed after the purchase. */
  refunded(key: string): void {
    this.#charges.release(key)
  }

  /** Records a purchase of an earlier run, which costs nothing now. */
  alreadyBought(planned: PlannedPurchase, how: string): void {
    if (this.hasPlanned(approvalOf(planned))) return
    this.#approved.set(planned.key, fingerprint(approvalOf(planned)))
    this.#host.warn(alreadyBoughtText(this.#settings.words, planned, how))
  }

  /** The key has bought an instance that the account's list did not show. */
  async #boughtUnlisted(planned: PlannedPurchase): Promise<ReadonlyArray<CheckFailure>> {
    const isGone = await this.#purchases.isComplete().catch(() => false)
    if (isGone) return [{ property: "", reason: vanishedPurchase(this.#settings.words, planned) }]
    this.alreadyBought(planned, "by an earlier run")
    return []
  }

  /** The price of this order; undefined when it is not available. */
  async priceOf(body: CreateInstance): Promise<DryRun | undefined> {
    const quote = await this.#quotes.get(body)
    return quote.kind === "priced" ? quote.dryRun : undefined
  }

  /** The wallet balance before this update; undefined when a dry run of the plan does not show it. */
  balanceFor(serviceId: number): Promise<Balance | undefined> {
    return this.#quotes.balanceFor(serviceId)
  }

  #refuse(charge: Charge): CheckFailure | undefined {
    const { maxChargePerUpdate, words } = this.#settings
    return refusedCharge(charge, { charges: this.#charges, maxChargePerUpdate, balance: this.#quotes.balance, words })
  }

  /** A total can exceed a limit because of purchases of an earlier run: checks all of them, then once more. */
  async #isStillRefused(charge: Charge): Promise<boolean> {
    await this.#charges.settle((key) => {
      const other = this.#planned.get(key)
      return other === undefined ? Promise.resolve(false) : this.#quotes.isPurchased(other.body, key)
    })
    return this.#refuse(charge) !== undefined
  }

  #approve({ name, ...wanted }: Approval & { readonly name: string }, charge: MaxCharge): void {
    this.#charges.approve(wanted.key, name, minor(charge.amount))
    this.#approved.set(wanted.key, fingerprint(wanted))
    this.#shown.set(wanted.key, charge)
  }

  /** The charge that was shown has changed, as a refusal may say: the next purchase is checked again. */
  forget({ key }: Pick<Approval, "key">): void {
    this.#charges.release(key)
    this.#approved.delete(key)
    this.#shown.delete(key)
    this.#planned.delete(key)
  }

  #announce(planned: PlannedPurchase, dryRun: DryRun): void {
    const { charge_amount: amount, currency } = dryRun
    this.#approve({ ...approvalOf(planned), name: planned.name }, { amount, currency })
    this.#warnOfSharedCoupon(planned)
    this.#planned.set(planned.key, planned)
    this.#host.info(`${purchaseText(this.#settings.words, planned, dryRun)}${this.#after(dryRun.currency)}`)
  }

  /** A dry run redeems nothing: a coupon for one use lowers the charge of each of them in the preview. */
  #warnOfSharedCoupon({ body: { coupon_code: coupon }, name }: PlannedPurchase): void {
    if (typeof coupon !== "string") return
    const [first, ...more] = [...this.#planned.values()].filter((other) => other.body.coupon_code === coupon)
    if (first !== undefined && more.length === 0) this.#host.warn(sharedCouponText(coupon, first.name, name))
  }

  /** "; remaining balance: ..."; empty when the balance is unknown. */
  #after(currency: string): string {
    const { balance } = this.#quotes
    if (balance === undefined) return ""
    const { count, total } = this.#charges
    const all = count === 1 ? "" : ` after all ${count}`
    return `; remaining balance${all}: ${formatMinor(balance.units - total, currency)}`
  }
}

const chargeOf = (dryRun: DryRun, { maxCharge }: PlannedPurchase): Charge => ({
  units: minor(dryRun.charge_amount),
  currency: dryRun.currency,
  maxCharge,
  uncovered: !dryRun.sufficient_funds
})
