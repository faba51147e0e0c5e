/** Amounts of money, integer numbers of minor units (cents). Decimals exist only in the API. */

/** An amount in minor units of its currency. Always a safe integer. */
export type Minor = number

/** The money that a wallet paid. */
export interface Charged {
  readonly charge: Minor
  /** ISO 4217 code. */
  readonly currency: string
}

/** The most that a request allows to be charged, in minor units. */
export interface ChargeLimit {
  readonly amount: Minor
  /** ISO 4217 code. */
  readonly currency: string
}

/** Minor units in one unit of the currency. All supported currencies have two decimals. */
const UNIT = 100

/** Minor units as the JSON number of the API: 999 becomes 9.99. */
export const toAmount = (minor: Minor): number => minor / UNIT

/** An amount as text, always with two decimals: 4.9 becomes "4.90". */
export const asText = (amount: number): string => amount.toFixed(2)

/** The JSON number of the API as minor units; undefined if it has more than two decimals or is out of range. */
export const fromAmount = (amount: number): Minor | undefined => {
  const minor = Math.round(amount * UNIT)
  return Number.isSafeInteger(minor) && toAmount(minor) === amount ? minor : undefined
}

/** `amount * numerator / denominator`, rounded half up, for non-negative amounts. */
export const fraction = (amount: Minor, numerator: number, denominator: number): Minor => {
  // BigInt, because the product of two safe integers can exceed the safe range.
  const doubled = 2n * BigInt(amount) * BigInt(numerator) + BigInt(denominator)
  return Number(doubled / (2n * BigInt(denominator)))
}
