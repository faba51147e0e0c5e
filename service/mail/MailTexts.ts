/** The subject and the text of each mail that waits in the database. */
import type { MailKind } from "../contract/Words.ts"
import { asText, type Minor, toAmount } from "../domain/Money.ts"
import { toTimestamp } from "../domain/Timestamp.ts"

export interface PriceAnnounced {
  readonly planName: string
  readonly price: Minor
  /** ISO 4217 code. */
  readonly currency: string
  /** When the first period with the new price may begin, in epoch milliseconds. */
  readonly from: number
  /** The owner's instances, each with its current price, and the price that was announced before, if any. */
  readonly instances: ReadonlyArray<
    { readonly instanceId: number; readonly price: Minor; readonly nextPrice: Minor | null }
  >
}

/** The facts that each kind of mail reports. */
export interface Facts {
  readonly price_announced: PriceAnnounced
}

export interface MailText {
  readonly subject: string
  readonly text: string
}

const money = (amount: Minor, currency: string): string => `${asText(toAmount(amount))} ${currency}`

const priceAnnounced = ({ currency, from, instances, planName, price }: PriceAnnounced): MailText => {
  const start = toTimestamp(from)
  const lines = instances.map(({ instanceId, nextPrice, price: now }) => {
    const replaced = nextPrice === null ? "" : `, instead of ${money(nextPrice, currency)} as announced before`
    return `  instance ${instanceId}, now ${money(now, currency)}${replaced}\n`
  })
  return {
    subject: `New price of ${planName} from ${start.slice(0, 10)}`,
    text: `The price of plan ${planName} will be ${money(price, currency)} per month for these instances:\n\n`
      + `${lines.join("")}\nIt applies to each period that begins at ${start} or later. Until then nothing changes. `
      + "Prices include the seller's VAT. If you do not agree, resize the instance, or ask us to turn its renewal off "
      + "before.\n"
  }
}

export const TEXTS: { readonly [K in MailKind]: (facts: Facts[K]) => MailText } = {
  price_announced: priceAnnounced
}
