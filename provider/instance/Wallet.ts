/** The wallet in the preview: what the planned purchases of one update cost, and whether they may be made. */
import type { CreateInstance, DryRun } from "#contract/Instance"
import { ENVIRONMENT, type Settings } from "../Config.ts"
import type { CheckFailure } from "../Checked.ts"
import { formatAmount, formatMinor, minor } from "../Money.ts"
import type { Api, Host } from "../Ports.ts"
import { explain, Problem, statusOf } from "../Problem.ts"

export interface PlannedPurchase {
  readonly key: string
  /** How the user calls the resource. */
  readonly name: string
  readonly serviceId: number
  readonly couponCode: string | undefined
  readonly maxCharge: number | undefined
}

/** A dry run's outcome: a price, a refusal of this very order, or no answer that could be judged. */
type Quote =
  | { readonly kind: "priced"; readonly dryRun: DryRun }
  | { readonly kind: "refused"; readonly failure: CheckFailure }
  | { readonly kind: "unpriced"; readonly reason: string }
  | { readonly kind: "broken"; readonly reason: string }

export class Wallet {
  readonly #api: Api
  readonly #settings: Settings
  readonly #host: Host
  readonly #quotes = new Map<string, Promise<Quote>>()
  /** Minor units by purchase key; zero for what turned out to be bought already. */
  readonly #charges = new Map<string, number>()
  readonly #planned = new Map<string, PlannedPurchase>()
  /** Minor units; what the wallet held when this process first asked. */
  #balance: number | undefined

  constructor(api: Api, settings: Settings, host: Host) {
    this.#api = api
    this.#settings = settings
    this.#host = host
  }

  /** Judges a purchase that `check` saw, together with all that it saw before; tells the user what it will cost. */
  async plan(planned: PlannedPurchase): Promise<ReadonlyArray<CheckFailure>> {
    if (this.#charges.has(planned.key)) return []
    const quote = await this.#quote(planned)
    if (quote.kind === "unpriced") {
      this.#host.warn(`${planned.name}: the charge can't be previewed: ${quote.reason}`)
      return []
    }
    if (quote.kind === "broken") return [{ property: "", reason: quote.reason }]
    const failure = quote.kind === "refused" ? quote.failure : this.#judge(planned, quote.dryRun)
    if (failure === undefined) return this.#tell(planned, quote)
    if (await this.#owns(planned)) return this.alreadyBought(planned, "by an earlier run")
    return await this.#judgeAgain(planned, quote, failure)
  }

  /**
   * The last gate before the POST: a limit that the preview could not check (429, or a key that may not ask) is checked
   * now, or nothing is bought.
   * @throws Problem when the charge is over a limit or still can't be known.
   */
  async guard(planned: PlannedPurchase): Promise<void> {
    const limited = planned.maxCharge ?? this.#settings.maxChargePerUpdate
    if (limited === undefined || this.#charges.has(planned.key)) return
    this.#quotes.delete(quoteName(planned))
    const failures = await this.plan(planned)
    const reasons = failures.map((failure) => failure.reason)
    if (!this.#charges.has(planned.key)) reasons.push("its charge can't be checked against the limit that is set")
    if (reasons.length > 0) {
      throw new Problem(`${planned.name} was not bought: ${reasons.join("; ")}. Nothing was charged.`)
    }
  }

  /** Takes note of a purchase that an earlier run made; tells the user. */
  alreadyBought(planned: PlannedPurchase, how: string): ReadonlyArray<CheckFailure> {
    if (this.#charges.has(planned.key)) return []
    this.#charges.set(planned.key, 0)
    this.#host.info(`${planned.name}: already bought (${how}); nothing will be charged`)
    return []
  }

  /** The price of this plan and coupon, as shown or asked for now; undefined when it can't be known. */
  async priceOf(planned: PlannedPurchase): Promise<DryRun | undefined> {
    const quote = await this.#quote(planned)
    return quote.kind === "priced" ? quote.dryRun : undefined
  }

  #quote(planned: PlannedPurchase): Promise<Quote> {
    const name = quoteName(planned)
    const asked = this.#quotes.get(name) ?? this.#ask(planned)
    this.#quotes.set(name, asked)
    return asked
  }

  async #ask(planned: PlannedPurchase): Promise<Quote> {
    try {
      const dryRun = await this.#api.dryRun(order(planned))
      this.#balance ??= minor(dryRun.wallet_balance)
      return { kind: "priced", dryRun }
    } catch (error) {
      return classify(error, planned)
    }
  }

  #judge(planned: PlannedPurchase, dryRun: DryRun): CheckFailure | undefined {
    const { currency } = dryRun
    const charge = minor(dryRun.charge_amount)
    const total = this.#total() + charge
    const balance = this.#balance ?? minor(dryRun.wallet_balance)
    const sums = this.#charges.size === 0
      ? `the charge of ${formatMinor(charge, currency)}`
      : `the ${this.#charges.size + 1} purchases planned so far cost ${formatMinor(total, currency)}, which`
    if (planned.maxCharge !== undefined && charge > minor(planned.maxCharge)) {
      const limit = formatAmount(planned.maxCharge, currency)
      return {
        property: "maxCharge",
        reason: `the charge of ${formatMinor(charge, currency)} is over maxCharge ${limit}`
      }
    }
    const limit = this.#settings.maxChargePerUpdate
    if (limit !== undefined && total > minor(limit)) {
      const where = `vps:maxChargePerUpdate (${ENVIRONMENT.maxChargePerUpdate})`
      return { property: "", reason: `${sums} is over ${where} ${formatAmount(limit, currency)}` }
    }
    if (dryRun.sufficient_funds && total <= balance) return undefined
    const held = formatMinor(balance, currency)
    return { property: "", reason: `${sums} is more than the wallet holds (${held}); top it up. Nothing was bought` }
  }

  /** A sum can fail because of purchases that are in fact made already: all are asked, then judged again. */
  async #judgeAgain(
    planned: PlannedPurchase,
    quote: Quote,
    failure: CheckFailure
  ): Promise<ReadonlyArray<CheckFailure>> {
    if (quote.kind !== "priced" || this.#total() === 0) return [failure]
    for (const [key, other] of this.#planned) {
      if (this.#charges.get(key) !== 0 && await this.#owns(other)) this.#charges.set(key, 0)
    }
    const verdict = this.#judge(planned, quote.dryRun)
    return verdict === undefined ? this.#tell(planned, quote) : [verdict]
  }

  /** Has the resource's own key bought already? Then no lack of money, coupon or plan may stop it. */
  async #owns(planned: PlannedPurchase): Promise<boolean> {
    try {
      const { charge_amount, sufficient_funds, would_create } = await this.#api.dryRun(order(planned), planned.key)
      return !would_create && charge_amount === 0 && sufficient_funds
    } catch {
      // The first verdict stands: it already says what is wrong.
      return false
    }
  }

  #tell(planned: PlannedPurchase, quote: Quote): ReadonlyArray<CheckFailure> {
    if (quote.kind !== "priced") return []
    const { billing_cycle, charge_amount, currency, discount_amount, plan_name } = quote.dryRun
    this.#charges.set(planned.key, minor(charge_amount))
    this.#planned.set(planned.key, planned)
    const off = discount_amount === 0
      ? ""
      : `, ${formatAmount(discount_amount, currency)} off by coupon ${planned.couponCode}`
    const after = formatMinor((this.#balance ?? 0) - this.#total(), currency)
    const count = this.#charges.size === 1 ? "it" : `all ${this.#charges.size}`
    this.#host.info(
      `${planned.name}: buying ${plan_name} charges ${
        formatAmount(charge_amount, currency)
      } now (billed ${billing_cycle}${off}); `
        + `wallet after ${count}: ${after}`
    )
    return []
  }

  #total(): number {
    return [...this.#charges.values()].reduce((sum, charge) => sum + charge, 0)
  }
}

const quoteName = ({ couponCode, serviceId }: PlannedPurchase): string =>
  JSON.stringify([serviceId, couponCode ?? null])

const order = ({ couponCode, serviceId }: PlannedPurchase): CreateInstance =>
  couponCode === undefined ? { service_id: serviceId } : { service_id: serviceId, coupon_code: couponCode }

const classify = (error: unknown, { couponCode, serviceId }: PlannedPurchase): Quote => {
  const status = statusOf(error)
  const reason = explain(error)
  if (status === 403 || status === 429) return { kind: "unpriced", reason }
  if (status === 404) {
    return {
      kind: "refused",
      failure: { property: "serviceId", reason: `plan ${serviceId} can't be bought: ${reason}` }
    }
  }
  if (status === 400 || status === 422) {
    const property = couponCode === undefined ? "serviceId" : "couponCode"
    return { kind: "refused", failure: { property, reason: `this can't be bought: ${reason}` } }
  }
  return { kind: "broken", reason: `the charge can't be asked for: ${reason}` }
}
