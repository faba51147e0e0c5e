/** The ways in which customers pay, and their texts for one account and one amount. */
import { asText, type Minor, toAmount } from "./Money.ts"

/** As the host has written them, with placeholders. */
export interface HowToPay {
  /** Lines with the bank's details; null if customers do not pay by transfer. */
  readonly bank: string | null
  /** By which the host finds the account of a payment. Contains `{account}`. */
  readonly reference: string
  /** The address of a payment page; null if there is none. */
  readonly page: string | null
}

/** The placeholders of each text. */
export const PLACEHOLDERS = {
  reference: ["account"],
  page: ["account", "amount", "currency", "reference"]
} as const satisfies Partial<Record<keyof HowToPay, ReadonlyArray<string>>>

/** An account that pays, and the amount that is missing; 0 if nothing is. */
export interface Payer {
  readonly accountId: number
  readonly currency: string
  readonly missing: Minor
}

const filled = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{([a-z]+)\}/g, (placeholder, name: string) => values[name] ?? placeholder)

/** The page of a payer; the amount stays a placeholder without one. */
const pageOf = (page: string, reference: string, { accountId, currency, missing }: Partial<Payer>): string =>
  filled(page, {
    account: String(accountId),
    reference: encodeURIComponent(reference),
    currency: currency ?? "",
    ...(missing === undefined ? {} : { amount: missing > 0 ? asText(toAmount(missing)) : "" })
  })

/** The ways in which one account pays. Without `missing`, `{amount}` stays in the page's address. */
export const paymentOf = (
  { bank, page, reference: template }: HowToPay,
  payer: Omit<Payer, "missing"> & Partial<Payer>
): HowToPay => {
  const reference = filled(template, { account: String(payer.accountId) })
  return { bank, reference, page: page === null ? null : pageOf(page, reference, payer) }
}

/** A sentence for programs and terminals, which begins with a space; empty if the host has not said how to pay. */
export const paySentence = (howToPay: HowToPay | undefined, payer: Payer): string => {
  if (howToPay === undefined || payer.missing <= 0) return ""
  const { bank, page, reference } = paymentOf(howToPay, payer)
  const amount = `${asText(toAmount(payer.missing))} ${payer.currency}`
  const transfer = bank === null
    ? undefined
    : `transfer them with the reference ${reference} to: ${bank.split("\n").join(", ")}`
  const ways = [...(page === null ? [] : [`open ${page}`]), ...(transfer === undefined ? [] : [transfer])]
  return ` ${amount} are missing. To pay them, ${ways.join(", or ")}.`
}

/** The paragraphs of a mail, which begin with an empty line; empty as `paySentence` is. */
export const payParagraphs = (howToPay: HowToPay | undefined, payer: Payer): string => {
  if (howToPay === undefined || payer.missing <= 0) return ""
  const { bank, page, reference } = paymentOf(howToPay, payer)
  const amount = `${asText(toAmount(payer.missing))} ${payer.currency}`
  const lines = bank?.split("\n").map((line) => `  ${line}\n`).join("")
  const parts = [
    ...(page === null ? [] : [`To pay ${amount}, open this page:\n\n  ${page}\n`]),
    ...(lines === undefined
      ? []
      : [`${page === null ? `Transfer ${amount}` : "Or transfer it"} with the reference ${reference} to:\n\n${lines}`])
  ]
  return parts.map((part) => `\n${part}`).join("")
}
