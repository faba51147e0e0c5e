/** The wallet in the preview: the total charge of one update, checked against the balance and the limits. */
import type { DryRun } from "#sdk/client/Records"
import type { Api, CreateResult } from "../api/Api.ts"
import { UserError } from "../api/Errors.ts"
import { ENVIRONMENT, type Settings } from "../Config.ts"
import type { CheckFailure } from "../definition/Validation.ts"
import type { Host } from "../engine/Host.ts"
import { Mutex } from "../waiting/Mutex.ts"
import { formatAmount, formatMinor, minor } from "./Money.ts"
import { type Balance, type PlannedPurchase, Quotes } from "./Quotes.ts"
import { UpdateCharges } from "./UpdateCharges.ts"

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
type Approval = Pick<PlannedPurchase, "key" | "serviceId" | "maxCharge"> & Partial<Pick<PlannedPurchase, "couponCode">>

const fingerprint = ({ couponCode, maxCharge, serviceId }: Approval): string =>
  JSON.stringify([serviceId, couponCode ?? null, maxCharge ?? null])

/** A charge to approve. */
interface Charge {
  /** Minor units. */
  readonly units: number
  readonly currency: string
  readonly maxCharge: number | undefined
  /** The service reports insufficient funds. */
  readonly uncovered: boolean
}

export class Wallet {
  readonly #quotes: Quotes
  readonly #settings: Settings
  readonly #host: Host
  readonly #charges = new UpdateCharges()
  readonly #planned = new Map<string, PlannedPurchase>()
  /** Fingerprints by the same key. A policy pack may change inputs after `check`, and the engine checks no more. */
  readonly #approved = new Map<string, string>()
  /** Charges are approved one after the other: each must see all before it. */
  readonly #mutex = new Mutex()

  constructor(api: Api, settings: Settings, host: Host) {
    this.#quotes = new Quotes(api)
    this.#settings = settings
    this.#host = host
  }

  /** Approves a purchase in `check`, together with all earlier ones, and shows its charge. */
  planPurchase(planned: PlannedPurchase): Promise<ReadonlyArray<CheckFailure>> {
    return this.#mutex.run("approve", () => this.#approvePurchase(planned))
  }

  async #approvePurchase(planned: PlannedPurchase): Promise<ReadonlyArray<CheckFailure>> {
    if (this.hasPlanned(planned)) return []
    this.#forget(planned)
    const quote = await this.#quotes.get(planned)
    if (quote.kind === "unpriced") {
      this.#host.warn(`${planned.name}: the charge is not available in the preview: ${quote.reason}`)
      return []
    }
    if (quote.kind === "broken") return [{ property: "", reason: quote.reason }]
    const charge = quote.kind === "priced" ? chargeOf(quote.dryRun, planned) : undefined
    const failure = quote.kind === "refused" ? quote.failure : charge && this.#refuse(charge)
    if (failure !== undefined && await this.#quotes.isPurchased(planned)) {
      return this.alreadyBought(planned, "by an earlier run")
    }
    if (failure !== undefined && (charge === undefined || await this.#isStillRefused(charge))) return [failure]
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
    this.#forget(resize)
    await this.#quotes.balanceFor(serviceId)
    const charge = { units: minor(amount), currency, maxCharge, uncovered: false }
    const failure = this.#refuse(charge)
    if (failure !== undefined && await this.#isStillRefused(charge)) return [failure]
    this.#approve(resize, charge.units)
    if (amount > 0) {
      this.#host.info(`${name}: ${resize.action} charges ${formatAmount(amount, currency)} now${this.#after(currency)}`)
    }
    return []
  }

  /** True when this process has approved exactly this purchase or resize. */
  hasPlanned(wanted: Approval): boolean {
    return this.#approved.get(wanted.key) === fingerprint(wanted)
  }

  /** True when it was approved with another plan, coupon or limit. */
  hasChanged(wanted: Approval): boolean {
    return this.#approved.has(wanted.key) && !this.hasPlanned(wanted)
  }

  /** True when a limit applies to the charge. */
  isLimited(maxCharge: number | undefined): boolean {
    return (maxCharge ?? this.#settings.maxChargePerUpdate) !== undefined
  }

  /**
   * The last check before the POST: a limit that the preview could not check (429, or a key without permission) is
   * checked now, or nothing is bought.
   * @throws UserError when the charge exceeds a limit, or is still unknown.
   */
  async guard(planned: PlannedPurchase): Promise<void> {
    if (!this.isLimited(planned.maxCharge) || this.hasPlanned(planned)) return
    this.#quotes.forget(planned)
    const failures = await this.planPurchase(planned)
    const reasons = failures.map((failure) => failure.reason)
    if (reasons.length === 0 && !this.hasPlanned(planned)) {
      reasons.push("the charge could not be checked against the limit")
    }
    if (reasons.length > 0) {
      throw new UserError(`${planned.name} was not bought: ${reasons.join("; ")}. Nothing was charged.`)
    }
  }

  /** Sends a purchase that `guard` has let pass: it counts in this update unless it turns out to cost nothing. */
  order({ key, name }: PlannedPurchase, send: () => Promise<CreateResult>): Promise<CreateResult> {
    return this.#charges.order(key, name, send)
  }

  /** Provisioning failed after the purchase. */
  refunded(key: string): void {
    this.#charges.release(key)
  }

  /** Records a purchase of an earlier run, and shows that it costs nothing now. */
  alreadyBought(planned: PlannedPurchase, how: string): ReadonlyArray<CheckFailure> {
    if (this.hasPlanned(planned)) return []
    this.#approved.set(planned.key, fingerprint(planned))
    this.#host.info(`${planned.name}: already bought (${how}); nothing will be charged`)
    return []
  }

  /** The price of this plan and coupon; undefined when it is not available. */
  async priceOf(planned: PlannedPurchase): Promise<DryRun | undefined> {
    const quote = await this.#quotes.get(planned)
    return quote.kind === "priced" ? quote.dryRun : undefined
  }

  /** The wallet balance before this update; undefined when a dry run of the plan does not show it. */
  balanceFor(serviceId: number): Promise<Balance | undefined> {
    return this.#quotes.balanceFor(serviceId)
  }

  #refuse({ currency, maxCharge, uncovered, units }: Charge): CheckFailure | undefined {
    const { count, total: before } = this.#charges
    const total = before + units
    const charge = formatMinor(units, currency)
    const sums = count === 0
      ? `the charge of ${charge}`
      : `the ${count + 1} purchases planned so far cost ${formatMinor(total, currency)}, which`
    if (maxCharge !== undefined && units > minor(maxCharge)) {
      const reason = `the charge of ${charge} exceeds maxCharge ${formatAmount(maxCharge, currency)}`
      return { property: "maxCharge", reason }
    }
    const limit = this.#settings.maxChargePerUpdate
    if (limit !== undefined && total > minor(limit)) {
      const where = `vps:maxChargePerUpdate (${ENVIRONMENT.maxChargePerUpdate}) ${formatAmount(limit, currency)}`
      const made = this.#made(currency)
      return { property: "", reason: `${sums} exceeds ${where}${made === undefined ? "" : `; ${made}`}` }
    }
    const { balance } = this.#quotes
    if (!uncovered && total <= (balance?.units ?? total)) return undefined
    const held = formatMinor(balance?.units ?? 0, currency)
    const made = this.#made(currency) ?? "Nothing was bought"
    return { property: "", reason: `${sums} exceeds the wallet balance (${held}). Top up the wallet. ${made}` }
  }

  /** For messages: the purchases that this update has made; undefined without any. */
  #made(currency: string): string | undefined {
    const { names, total } = this.#charges.made
    return names.length === 0
      ? undefined
      : `this update has already bought ${names.join(", ")} for ${formatMinor(total, currency)}`
  }

  /** A total can exceed a limit because of purchases of an earlier run: checks all of them, then once more. */
  async #isStillRefused(charge: Charge): Promise<boolean> {
    await this.#charges.settle((key) => {
      const other = this.#planned.get(key)
      return other === undefined ? Promise.resolve(false) : this.#quotes.isPurchased(other)
    })
    return this.#refuse(charge) !== undefined
  }

  #approve({ name, ...wanted }: Approval & { readonly name: string }, units: number): void {
    this.#charges.approve(wanted.key, name, units)
    this.#approved.set(wanted.key, fingerprint(wanted))
  }

  #forget({ key }: Approval): void {
    this.#charges.release(key)
    this.#approved.delete(key)
    this.#planned.delete(key)
  }

  #announce(planned: PlannedPurchase, dryRun: DryRun): void {
    const { billing_cycle, charge_amount, currency, discount_amount, plan_name } = dryRun
    this.#approve(planned, minor(charge_amount))
    this.#planned.set(planned.key, planned)
    const off = discount_amount === 0
      ? ""
      : `, ${formatAmount(discount_amount, currency)} off by coupon ${planned.couponCode}`
    const price = formatAmount(charge_amount, currency)
    this.#host.info(
      `${planned.name}: buying ${plan_name} charges ${price} now (billed ${billing_cycle}${off})${
        this.#after(currency)
      }`
    )
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
