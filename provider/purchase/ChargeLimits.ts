/** The limits of a charge: its own, that of the update, and the wallet's balance. Pure. */
import { ENVIRONMENT } from "../Config.ts"
import type { CheckFailure } from "../definition/Definition.ts"
import { formatAmount, formatMinor, minor } from "./Money.ts"
import type { Balance } from "./Quotes.ts"
import type { UpdateCharges } from "./UpdateCharges.ts"

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
}

/** The reason why the charge cannot be added to those of the update; undefined when it can. */
export const refusedCharge = (
  { currency, maxCharge, uncovered, units }: Charge,
  { balance, charges, maxChargePerUpdate: limit }: Limits
): CheckFailure | undefined => {
  const total = charges.total + units
  const charge = formatMinor(units, currency)
  const sums = charges.count === 0
    ? `the charge of ${charge}`
    : `the ${charges.count + 1} purchases planned so far cost ${formatMinor(total, currency)}, which`
  if (maxCharge !== undefined && units > minor(maxCharge)) {
    const reason = `the charge of ${charge} exceeds maxCharge ${formatAmount(maxCharge, currency)}`
    return { property: "maxCharge", reason }
  }
  const made = madeSoFar(charges, currency)
  if (limit !== undefined && total > minor(limit)) {
    const where = `vps:maxChargePerUpdate (${ENVIRONMENT.maxChargePerUpdate}) ${formatAmount(limit, currency)}`
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
