/** Amounts, times, and sizes as people read them, in the language of their browser; texts as files. */

export const money = (amount: number, currency: string): string =>
  new Intl.NumberFormat(undefined, { style: "currency", currency }).format(amount)

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })
const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })
const CLOCK = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })

export const date = (iso: string): string => DATE.format(new Date(iso))
export const time = (iso: string): string => TIME.format(new Date(iso))
export const exactTime = (iso: string): string => CLOCK.format(new Date(iso))

const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"]
const NUMBER = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 })

const STEP = 1_024

/** In powers of 1024, as plans are sold: "4 GB" of "4 GB". */
export const bytes = (count: number): string => {
  const power = count < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(count) / 10))
  return `${NUMBER.format(count / STEP ** power)} ${UNITS[power]}`
}

/** With three digits that say something. */
export const short = (value: number): string => NUMBER.format(value)

export const percent = (value: number): string => `${NUMBER.format(value)} %`

const SPANS = [["day", 86_400], ["hour", 3_600], ["minute", 60]] as const

/** Such as "3 days 4 hours". */
export const duration = (seconds: number): string => {
  const parts: Array<string> = []
  let rest = seconds
  for (const [name, size] of SPANS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? "" : "s"}`)
  }
  return parts.length === 0 ? "less than a minute" : parts.slice(0, 2).join(" ")
}

/** `reset_password` as "Reset password". */
export const words = (name: string): string => {
  const text = name.replaceAll("_", " ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Gives a text to the person as a file. */
export const download = (name: string, lines: ReadonlyArray<string>): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([...lines], { type: "application/octet-stream" }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
