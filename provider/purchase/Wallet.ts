/** The wallet in the preview: what one update charges in all, and whether it may. */
import type { DryRun } from "#contract/Instance"
import { ENVIRONMENT, type Settings } from "../Config.ts"
import type { CheckFailure } from "../definition/Validation.ts"
import { formatAmount, formatMinor, minor } from "./Money.ts"
import type { Api } from "../api/Api.ts"
import type { Host } from "../engine/Host.ts"
import { UserError } from "../api/Errors.ts"
import { type Balance, type PlannedPurchase, Quotes } from "./Quotes.ts"

export interface PlannedResize {
  readonly key: string
  /** How the user calls the resource. */
  readonly name: string
  readonly serviceId: number
  /** What happens, for people: "resizing server 1 from vps-s to vps-m". */
  readonly what: string
  readonly charge: number
  readonly currency: string
  readonly maxCharge: number | undefined
}

/** What a verdict is about. */
type Approval = Pick<PlannedPurchase, "key" | "serviceId" | "maxCharge"> & Partial<Pick<PlannedPurchase, "couponCode">>

const fingerprint = ({ couponCode, maxCharge, serviceId }: Approval): string =>
  JSON.stringify([serviceId, couponCode ?? null, maxCharge ?? null])

/** Something that takes money, as it is judged. */
interface Charge {
  /** Minor units. */
  readonly units: number
  readonly currency: string
  readonly maxCharge: number | undefined
  /** The service itself says that the wallet does not cover it. */
  readonly uncovered: boolean
}

export class Wallet {
  readonly #quotes: Quotes
  readonly #settings: Settings
  readonly #host: Host
  /** Minor units by purchase key; zero for what turned out to be bought already. */
  readonly #charges = new Map<string, number>()
  readonly #planned = new Map<string, PlannedPurchase>()
  /** By the same key: what was judged. A policy pack may change it after `check`, and the engine checks no more. */
  readonly #judged = new Map<string, string>()

  constructor(api: Api, settings: Settings, host: Host) {
    this.#quotes = new Quotes(api)
    this.#settings = settings
    this.#host = host
  }

  /** Judges a purchase that `check` saw, together with all that it saw before; tells the user what it will cost. */
  async planPurchase(planned: PlannedPurchase): Promise<ReadonlyArray<CheckFailure>> {
    if (this.hasPlanned(planned)) return []
    this.#forget(planned)
    const quote = await this.#quotes.get(planned)
    if (quote.kind === "unpriced") {
      this.#host.warn(`${planned.name}: the charge can't be previewed: ${quote.reason}`)
      return []
    }
    if (quote.kind === "broken") return [{ property: "", reason: quote.reason }]
    const charge = quote.kind === "priced" ? chargeOf(quote.dryRun, planned) : undefined
    const failure = quote.kind === "refused" ? quote.failure : charge && this.#judge(charge)
    if (failure !== undefined && await this.#quotes.isPurchased(planned)) {
      return this.alreadyBought(planned, "by an earlier run")
    }
    if (failure !== undefined && (charge === undefined || await this.#isStill(charge))) return [failure]
    if (quote.kind === "priced") this.#tell(planned, quote.dryRun)
    return []
  }

  /** Judges a resize like a purchase. An upgrade charges at once; a downgrade charges nothing, and needs no word. */
  async planResize(resize: PlannedResize): Promise<ReadonlyArray<CheckFailure>> {
    const { charge: amount, currency, maxCharge, name, serviceId, what } = resize
    if (this.hasPlanned(resize)) return []
    this.#forget(resize)
    await this.#quotes.balanceFor(serviceId)
    const charge = { units: minor(amount), currency, maxCharge, uncovered: false }
    const failure = this.#judge(charge)
    if (failure !== undefined && await this.#isStill(charge)) return [failure]
    this.#note(resize, charge.units)
    if (amount > 0) {
      this.#host.info(`${name}: ${what} charges ${formatAmount(amount, currency)} now${this.#after(currency)}`)
    }
    return []
  }

  /** Was this very purchase or resize judged and found to be in order, in this process? */
  hasPlanned(wanted: Approval): boolean {
    return this.#judged.get(wanted.key) === fingerprint(wanted)
  }

  /** Was it judged with another plan, coupon or limit than it has now? */
  hasChanged(wanted: Approval): boolean {
    return this.#judged.has(wanted.key) && !this.hasPlanned(wanted)
  }

  /** Is there a limit that a charge has to be checked against? */
  isLimited(maxCharge: number | undefined): boolean {
    return (maxCharge ?? this.#settings.maxChargePerUpdate) !== undefined
  }

  /**
   * The last gate before the POST: a limit that the preview could not check (429, or a key that may not ask) is checked
   * now, or nothing is bought.
   * @throws UserError when the charge is over a limit or still can't be known.
   */
  async guard(planned: PlannedPurchase): Promise<void> {
    if (!this.isLimited(planned.maxCharge) || this.hasPlanned(planned)) return
    this.#quotes.forget(planned)
    const failures = await this.planPurchase(planned)
    const reasons = failures.map((failure) => failure.reason)
    if (reasons.length === 0 && !this.hasPlanned(planned)) {
      reasons.push("its charge can't be checked against the limit that is set")
    }
    if (reasons.length > 0) {
      throw new UserError(`${planned.name} was not bought: ${reasons.join("; ")}. Nothing was charged.`)
    }
  }

  /** Takes note of a purchase that an earlier run made; tells the user. */
  alreadyBought(planned: PlannedPurchase, how: string): ReadonlyArray<CheckFailure> {
    if (this.hasPlanned(planned)) return []
    this.#note(planned, 0)
    this.#host.info(`${planned.name}: already bought (${how}); nothing will be charged`)
    return []
  }

  /** The price of this plan and coupon, as shown or asked for now; undefined when it can't be known. */
  async priceOf(planned: PlannedPurchase): Promise<DryRun | undefined> {
    const quote = await this.#quotes.get(planned)
    return quote.kind === "priced" ? quote.dryRun : undefined
  }

  /** What the wallet held before this update; undefined when a dry run of the plan does not tell. */
  balanceFor(serviceId: number): Promise<Balance | undefined> {
    return this.#quotes.balanceFor(serviceId)
  }

  #judge({ currency, maxCharge, uncovered, units }: Charge): CheckFailure | undefined {
    const total = this.#total() + units
    const charge = formatMinor(units, currency)
    const sums = this.#charges.size === 0
      ? `the charge of ${charge}`
      : `the ${this.#charges.size + 1} purchases planned so far cost ${formatMinor(total, currency)}, which`
    if (maxCharge !== undefined && units > minor(maxCharge)) {
      const reason = `the charge of ${charge} is over maxCharge ${formatAmount(maxCharge, currency)}`
      return { property: "maxCharge", reason }
    }
    const limit = this.#settings.maxChargePerUpdate
    if (limit !== undefined && total > minor(limit)) {
      const where = `vps:maxChargePerUpdate (${ENVIRONMENT.maxChargePerUpdate})`
      return { property: "", reason: `${sums} is over ${where} ${formatAmount(limit, currency)}` }
    }
    const { balance } = this.#quotes
    if (!uncovered && total <= (balance?.units ?? total)) return undefined
    const held = formatMinor(balance?.units ?? 0, currency)
    return { property: "", reason: `${sums} is more than the wallet holds (${held}); top it up. Nothing was bought` }
  }

  /** A sum can fail because of purchases that are in fact made already: all are asked, then it is judged again. */
  async #isStill(charge: Charge): Promise<boolean> {
    if (this.#total() === 0) return true
    for (const [key, other] of this.#planned) {
      if (this.#charges.get(key) !== 0 && await this.#quotes.isPurchased(other)) this.#charges.set(key, 0)
    }
    return this.#judge(charge) !== undefined
  }

  #note(wanted: Approval, units: number): void {
    this.#charges.set(wanted.key, units)
    this.#judged.set(wanted.key, fingerprint(wanted))
  }

  #forget({ key }: Approval): void {
    this.#charges.delete(key)
    this.#judged.delete(key)
    this.#planned.delete(key)
  }

  #tell(planned: PlannedPurchase, dryRun: DryRun): void {
    const { billing_cycle, charge_amount, currency, discount_amount, plan_name } = dryRun
    this.#note(planned, minor(charge_amount))
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

  /** "; wallet after it: ..."; nothing when the balance is not known. */
  #after(currency: string): string {
    const { balance } = this.#quotes
    if (balance === undefined) return ""
    const count = this.#charges.size === 1 ? "it" : `all ${this.#charges.size}`
    return `; wallet after ${count}: ${formatMinor(balance.units - this.#total(), currency)}`
  }

  #total(): number {
    return [...this.#charges.values()].reduce((sum, charge) => sum + charge, 0)
  }
}

const chargeOf = (dryRun: DryRun, { maxCharge }: PlannedPurchase): Charge => ({
  units: minor(dryRun.charge_amount),
  currency: dryRun.currency,
  maxCharge,
  uncovered: !dryRun.sufficient_funds
})
