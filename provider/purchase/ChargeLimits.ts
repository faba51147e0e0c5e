/**
 * The limits of a charge (its own, that of the update, and the wallet's balance) and the charges of one update:
 * approved, sent, or made. They count until it is known that they cost nothing.
 */
import type { CreateResult } from "../api/Api.ts"
import { isRefusal } from "../api/Errors.ts"
import { chargedFor } from "./InstanceDetails.ts"
import { formatAmount, formatMinor, minor } from "./Money.ts"
import type { Words } from "../HostWords.ts"
import type { CheckFailure } from "../definition/Definition.ts"
import type { Balance } from "./Quotes.ts"

interface CountedCharge {
  /** The name of the resource in the program. */
  readonly name: string
  /** Minor units. */
  readonly units: number
  readonly isMade: boolean
}

export class UpdateCharges {
  readonly #charges = new Map<string, CountedCharge>()
  /** The purchases that this process has sent, by purchase key. */
  readonly #orders = new Map<string, Promise<unknown>>()

  approve(key: string, name: string, units: number): void {
    this.#charges.set(key, { name, units, isMade: false })
  }

  /** It costs nothing, or is not made. */
  release(key: string): void {
    this.#charges.delete(key)
  }

  /** Sends a purchase. A replay was paid for by an earlier run; a refused or refunded one costs nothing. */
  async order(key: string, name: string, send: () => Promise<CreateResult>): Promise<CreateResult> {
    const order = send()
    this.#orders.set(key, order)
    try {
      const result = await order
      const charged = chargedFor(result.instance)
      const units = charged === undefined ? this.#charges.get(key)?.units : minor(charged)
      if (result.replayed || result.instance.status === "failed") this.release(key)
      else if (units !== undefined) this.#charges.set(key, { name, units, isMade: true })
      return result
    } catch (error) {
      if (isRefusal(error)) this.release(key)
      throw error
    }
  }

  /** True if this process has sent the purchase. */
  isSent(key: string): boolean {
    return this.#orders.has(key)
  }

  /** Releases what an earlier run has bought. A purchase that this process has sent is known by its own response. */
  async settle(isPurchased: (key: string) => Promise<boolean>): Promise<void> {
    for (const key of this.#charges.keys()) {
      const isEarlier = !this.#orders.has(key) && await isPurchased(key)
      const order = this.#orders.get(key)
      if (order !== undefined) await order.catch(() => undefined)
      else if (isEarlier) this.release(key)
    }
  }

  /** The number of purchases and resizes. */
  get count(): number {
    return this.#charges.size
  }

  get total(): number {
    return sum([...this.#charges.values()])
  }

  /** The purchases that this process has made. */
  get made(): { readonly names: ReadonlyArray<string>; readonly total: number } {
    const made = [...this.#charges.values()].filter(({ isMade }) => isMade)
    return { names: made.map(({ name }) => name), total: sum(made) }
  }
}

const sum = (charges: ReadonlyArray<CountedCharge>): number => charges.reduce((total, { units }) => total + units, 0)

/** A charge to approve. */
export interface Charge {
  /** Minor units. */
  readonly units: number
  readonly currency: string
  readonly maxCharge: number | undefined
  /** The service reports insufficient funds. */
  readonly uncovered: boolean
}

export interface Limits {
  /** The charges of this update so far. */
  readonly charges: UpdateCharges
  readonly maxChargePerUpdate: number | undefined
  /** undefined: unknown. */
  readonly balance: Balance | undefined
  readonly words: Words
}

/** The reason why the charge cannot be added to those of the update; undefined when it can. */
export const refusedCharge = (
  { currency, maxCharge, uncovered, units }: Charge,
  { balance, charges, maxChargePerUpdate: limit, words }: Limits
): CheckFailure | undefined => {
  const total = charges.total + units
  const charge = formatMinor(units, currency)
  const sums = charges.count === 0
    ? `the charge of ${charge}`
    : `the ${charges.count + 1} purchases planned so far cost ${formatMinor(total, currency)}, which`
  if (maxCharge !== undefined && units > minor(maxCharge)) {
    const reason = `the charge of ${charge} exceeds ${words.input("maxCharge")} ${formatAmount(maxCharge, currency)}`
    return { property: "maxCharge", reason }
  }
  const made = madeSoFar(charges, currency)
  if (limit !== undefined && total > minor(limit)) {
    const setting = `${words.setting("maxChargePerUpdate")} (${words.environment.maxChargePerUpdate})`
    const where = `${setting} ${formatAmount(limit, currency)}`
    return { property: "", reason: `${sums} exceeds ${where}${made === undefined ? "" : `; ${made}`}` }
  }
  if (!uncovered && total <= (balance?.units ?? total)) return undefined
  const held = formatMinor(balance?.units ?? 0, currency)
  const reason = `${sums} exceeds the wallet balance (${held}). Top up the wallet. ${made ?? "Nothing was bought"}`
  return { property: "", reason }
}

const madeSoFar = ({ made }: UpdateCharges, currency: string): string | undefined =>
  made.names.length === 0
    ? undefined
    : `this update has already bought ${made.names.join(", ")} for ${formatMinor(made.total, currency)}`
