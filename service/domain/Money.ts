/** Money is an integer number of minor units (cents). Decimals exist at the edge only. */

/** An amount in minor units of its currency. Always a safe integer. */
export type Minor = number

/** Minor units in one unit of the currency. All currencies sold here have two decimals. */
const UNIT = 100

/** Minor units as the JSON number of the wire: 999 becomes 9.99. */
export const toAmount = (minor: Minor): number => minor / UNIT

/** An amount as people write it, always with its cents: 4.9 becomes "4.90". */
export const asText = (amount: number): string => amount.toFixed(2)

/** The JSON number of the wire as minor units; undefined when it has more than two decimals or is out of range. */
export const fromAmount = (amount: number): Minor | undefined => {
  const minor = Math.round(amount * UNIT)
  return Number.isSafeInteger(minor) && toAmount(minor) === amount ? minor : undefined
}

/** `amount * numerator / denominator`, rounded half up, for amounts that are not negative. */
export const fraction = (amount: Minor, numerator: number, denominator: number): Minor => {
  // Exact: the product of two integers of this size can exceed what a number holds.
  const doubled = 2n * BigInt(amount) * BigInt(numerator) + BigInt(denominator)
  return Number(doubled / (2n * BigInt(denominator)))
}
