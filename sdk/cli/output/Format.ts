/** Formats money, dates, sizes, and durations for people. Does not use Intl, which takes 3 ms of every start. */

/** The placeholder for a missing value. */
export const EMPTY = "-"

const twoDigits = (value: number): string => String(value).padStart(2, "0")

/** Minor units per unit of a currency. */
const CENTS = 100

/** `4.99 EUR`, or `4.99` when the service omits the currency. `NaN` is never printed. */
export const money = (amount: number | undefined, currency?: string): string => {
  if (amount === undefined) return EMPTY
  if (!Number.isFinite(amount)) throw new RangeError(`${amount} is not an amount of money`)
  const cents = Math.round(Math.abs(amount) * CENTS)
  const text = `${amount < 0 ? "-" : ""}${Math.floor(cents / CENTS)}.${twoDigits(cents % CENTS)}`
  return currency === undefined ? text : `${text} ${currency}`
}

const MINUTES = 60

/** The difference from UTC at a time: `+01:00`, or `UTC`. */
const zone = (at: Date): string => {
  const minutes = -at.getTimezoneOffset()
  if (minutes === 0) return "UTC"
  const size = Math.abs(minutes)
  return `${minutes < 0 ? "-" : "+"}${twoDigits(Math.floor(size / MINUTES))}:${twoDigits(size % MINUTES)}`
}

/** A date and time to the minute, in the local time zone, which it names. A text that is not a date stays as it is. */
export const dateTime = (iso: string | null | undefined): string => {
  if (iso === null || iso === undefined) return EMPTY
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return iso
  const date = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits).join("-")
  return `${date} ${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())} ${zone(at)}`
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
const STEP = 1024

const TENTHS = 10

/** At most one decimal: `23.4`. */
export const decimal = (value: number): string => String(Math.round(value * TENTHS) / TENTHS)

/** `1.5 GiB`. */
export const bytes = (size: number | null | undefined): string => {
  if (size === null || size === undefined) return EMPTY
  const power = size < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(size) / Math.log2(STEP)))
  return `${decimal(size / STEP ** power)} ${UNITS[power]}`
}

/** `1.5 GiB/s`. */
export const rate = (bytesPerSecond: number | undefined): string =>
  bytesPerSecond === undefined ? EMPTY : `${bytes(bytesPerSecond)}/s`

/** `23.4 %`. */
export const percent = (value: number | undefined): string => value === undefined ? EMPTY : `${decimal(value)} %`

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Seconds in the two largest units that apply: `3 d 4 h`, `5 min 2 s`. */
export const duration = (seconds: number | undefined): string => {
  if (seconds === undefined) return EMPTY
  const whole = Math.max(0, Math.floor(seconds))
  const parts: ReadonlyArray<readonly [number, string]> = [
    [Math.floor(whole / DAY), "d"],
    [Math.floor(whole % DAY / HOUR), "h"],
    [Math.floor(whole % HOUR / MINUTE), "min"],
    [whole % MINUTE, "s"]
  ]
  const first = parts.findIndex(([count]) => count > 0)
  if (first === -1) return "0 s"
  return parts.slice(first, first + 2).filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`)
    .join(" ")
}

/** `yes` or `no`. */
export const yesNo = (value: boolean | undefined): string => value === undefined ? EMPTY : value ? "yes" : "no"
