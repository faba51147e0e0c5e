/** The API returns amounts as numbers with at most 2 decimals; sums and comparisons use integer minor units. */

const MINOR_UNITS = 100

/** 9.99 becomes 999. */
export const minor = (amount: number): number => Math.round(amount * MINOR_UNITS)

/**
 * 999 and "EUR" become "9.99 EUR".
 * @throws RangeError for `NaN`, the result of a calculation with a field that a host lacks.
 */
export const formatMinor = (units: number, currency: string | undefined): string => {
  if (!Number.isFinite(units)) throw new RangeError(`${units} is not an amount of money`)
  const [whole, part] = [Math.trunc(Math.abs(units) / MINOR_UNITS), Math.abs(units) % MINOR_UNITS]
  const amount = `${units < 0 ? "-" : ""}${whole}.${String(part).padStart(2, "0")}`
  return currency === undefined ? amount : `${amount} ${currency}`
}

/** 9.9 and "EUR" become "9.90 EUR". */
export const formatAmount = (amount: number, currency: string | undefined): string =>
  formatMinor(minor(amount), currency)
