/** The subject and the text of each mail that waits in the database. */
import type { AnnouncementKind, MailKind } from "../contract/Words.ts"
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

/** An instance as its owner knows it. */
interface Named {
  readonly instanceId: number
  readonly hostname: string | null
}

export interface RenewalDue {
  /** In order. */
  readonly due: ReadonlyArray<
    Named & { readonly at: number; readonly charge: Minor; readonly graceUntil: number | null }
  >
  readonly wallet: Minor
  readonly missing: Minor
  /** The first renewal that the wallet does not pay for, in epoch milliseconds. */
  readonly first: number
  readonly currency: string
}

export interface Grace extends Named {
  /** Of the next period. */
  readonly charge: Minor
  readonly currency: string
  /** Of the charge, what the wallet does not hold; 0 if it holds all. */
  readonly missing: Minor
  /** When it is deleted, in epoch milliseconds. */
  readonly graceUntil: number
  /** False: no payment renews it until its renewal is turned on. */
  readonly autoRenew: boolean
}

export interface Ordered extends Named {
  readonly planName: string
  /** The name of the image. */
  readonly image: string
  readonly charge: Minor
  /** Afterwards. */
  readonly wallet: Minor
  readonly currency: string
  /** The end of the period that is paid, in epoch milliseconds, and the charge of the next one. */
  readonly renewal: { readonly at: number; readonly charge: Minor }
  /** True if an operator approves it first. */
  readonly isHeld: boolean
}

export interface PaymentBooked {
  readonly amount: Minor
  /** Afterwards. */
  readonly wallet: Minor
  readonly currency: string
  readonly renewed: ReadonlyArray<number>
  /** With the reason, then what to do. */
  readonly notRenewed: ReadonlyArray<{ readonly instanceId: number; readonly reason: string }>
}

export interface PaymentTakenBack {
  readonly amount: Minor
  /** Afterwards; below zero, so much is owed. */
  readonly wallet: Minor
  readonly currency: string
  readonly reason: string | undefined
}

export interface Announced {
  /** The event that the mail reports. */
  readonly news: "planned" | "changed" | "cancelled"
  readonly kind: AnnouncementKind
  readonly title: string
  readonly text: string
  /** Epoch milliseconds. */
  readonly startsAt: number
  readonly endsAt: number
  /** Those of the account that it concerns; none if it concerns none, or not anymore. */
  readonly instances: ReadonlyArray<Named>
}

/** The facts that each kind of mail reports. */
export interface Facts {
  readonly ordered: Ordered
  readonly payment_booked: PaymentBooked
  readonly payment_taken_back: PaymentTakenBack
  readonly corrected: Named & { readonly text: string; readonly expiresAt: number }
  readonly order_rejected: Named & {
    readonly planName: string
    readonly reason: string
    readonly refund: Minor
    readonly currency: string
  }
  readonly price_announced: PriceAnnounced
  readonly renewal_due: RenewalDue
  readonly expired: Grace
  readonly deletion_due: Grace
  readonly deleted: Named & { readonly byHost: boolean }
  readonly suspended: Named & { readonly reason: string; readonly isCharged: boolean }
  readonly unsuspended: Named
  readonly deployment_failed: Named & { readonly refund: Minor; readonly currency: string }
  readonly announcement: Announced
}

export interface MailText {
  readonly subject: string
  readonly text: string
}

const money = (amount: Minor, currency: string): string => `${asText(toAmount(amount))} ${currency}`

const DATE = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })

const dateOf = (at: number): string => `${DATE.format(at)} UTC`

const nameOf = ({ hostname, instanceId }: Named): string =>
  hostname === null ? `instance ${instanceId}` : `${hostname} (instance ${instanceId})`

/** The paragraphs about how to pay an amount, which begin with an empty line; empty if there is nothing to say. */
export type HowToPayText = (missing: Minor, currency: string) => string

const momentOf = ({ at, graceUntil }: Pick<RenewalDue["due"][number], "at" | "graceUntil">): string =>
  graceUntil === null ? `on ${dateOf(at)}` : `now: it has expired, and will be deleted on ${dateOf(graceUntil)}`

const renewalDue = (
  { currency, due, first, missing, wallet }: RenewalDue,
  howToPay: HowToPayText
): MailText => ({
  subject: `${money(missing, currency)} are missing for your renewals, from ${dateOf(first)}`,
  text:
    `These instances will be renewed soon:\n\n${
      due.map((one) => `  ${nameOf(one)}: ${money(one.charge, currency)} ${momentOf(one)}\n`).join("")
    }\nYour wallet holds ${money(wallet, currency)}, so ${money(missing, currency)} are missing. Top it up before `
    + `${dateOf(first)}. An instance that cannot be renewed is powered off, and deleted later with its data.\n`
    + howToPay(missing, currency)
})

const wayBack = ({ autoRenew, charge, currency, graceUntil, missing }: Grace, howToPay: HowToPayText): string =>
  (autoRenew
    ? `To keep it, top up your wallet until it holds ${money(charge, currency)}, before ${
      dateOf(graceUntil)
    }. It is then `
      + "renewed, and powered on, at once.\n"
    : `To keep it, turn on its automatic renewal before ${dateOf(graceUntil)}, with ${money(charge, currency)} in your `
      + "wallet. It is then renewed, and powered on, at once.\n") + howToPay(missing, currency)

const expired = (facts: Grace, howToPay: HowToPayText): MailText => ({
  subject: `${nameOf(facts)} has expired, and will be deleted on ${dateOf(facts.graceUntil)}`,
  text: `The paid period of ${nameOf(facts)} has ended${
    facts.autoRenew ? ", and your wallet does not pay for the next one" : ""
  }. It is powered off. On ${dateOf(facts.graceUntil)} it will be deleted with all data, snapshots, and backups.\n\n${
    wayBack(facts, howToPay)
  }`
})

const deletionDue = (facts: Grace, howToPay: HowToPayText): MailText => ({
  subject: `${nameOf(facts)} will be deleted on ${dateOf(facts.graceUntil)}`,
  text: `${nameOf(facts)} has expired. On ${dateOf(facts.graceUntil)} it will be deleted with all data, snapshots, and `
    + `backups. This cannot be undone.\n\n${wayBack(facts, howToPay)}`
})

const deleted = (facts: Facts["deleted"]): MailText => ({
  subject: `${nameOf(facts)} is deleted`,
  text: `${nameOf(facts)} is deleted with all data, snapshots, and backups, because ${
    facts.byHost ? "your host has ended it" : "its paid period had ended, and was not renewed in time"
  }. This cannot be undone. You can order a new instance at any time.\n`
})

const suspended = (facts: Facts["suspended"]): MailText => ({
  subject: `${nameOf(facts)} is suspended`,
  text: `Your host has suspended ${nameOf(facts)}: ${facts.reason}\n\nIt is powered off, and its data stays. ${
    facts.isCharged
      ? "It is renewed and charged as before."
      : "Its paid period pauses, so the suspension costs nothing."
  } Contact your host about it.\n`
})

const unsuspended = (facts: Named): MailText => ({
  subject: `The suspension of ${nameOf(facts)} has ended`,
  text: `The suspension of ${nameOf(facts)} has ended. It is powered on if it was before.\n`
})

const deploymentFailed = ({ currency, refund, ...named }: Facts["deployment_failed"]): MailText => ({
  subject: `The deployment of ${nameOf(named)} failed`,
  text: `${nameOf(named)} could not be deployed. ${
    refund === 0 ? "It cost nothing." : `${money(refund, currency)} are back in your wallet.`
  } You can order again at any time.\n`
})

const ordered = ({ charge, currency, image, isHeld, planName, renewal, wallet, ...named }: Ordered): MailText => ({
  subject: `Your order of ${planName}: ${nameOf(named)}`,
  text: `You have ordered ${nameOf(named)}: ${planName} with ${image}. ${money(charge, currency)} were charged to your `
    + `wallet, which holds ${money(wallet, currency)} now.\n\n${
      isHeld
        ? "Your host approves the order before the instance is deployed."
        : "The instance is ready in a few minutes."
    } It is renewed on ${dateOf(renewal.at)} for ${money(renewal.charge, currency)}, until you turn that off.\n`
})

const paymentBooked = ({ amount, currency, notRenewed, renewed, wallet }: PaymentBooked): MailText => {
  const lines = [
    ...renewed.map((id) => `  instance ${id} is renewed, and powered on if it was before\n`),
    ...notRenewed.map(({ instanceId, reason }) => `  instance ${instanceId} is still expired. ${reason}\n`)
  ]
  return {
    subject: `Your payment of ${money(amount, currency)} is booked`,
    text: `Your payment of ${money(amount, currency)} is booked. Your wallet holds ${money(wallet, currency)} now.\n`
      + (lines.length === 0 ? "" : `\n${lines.join("")}`)
  }
}

const paymentTakenBack = (
  { amount, currency, reason, wallet }: PaymentTakenBack,
  howToPay: HowToPayText
): MailText => ({
  subject: `${money(amount, currency)} were taken from your wallet`,
  text: `A payment of ${money(amount, currency)} was taken back from your wallet${
    reason === undefined ? "." : `: ${reason}`
  }\n\n${
    wallet < 0
      ? `You owe ${
        money(-wallet, currency)
      } now. Until that is paid, nothing can be bought, and no instance is renewed: `
        + "one whose period ends is powered off, and deleted later with its data."
      : `Your wallet holds ${money(wallet, currency)} now.`
  }\n${howToPay(-wallet, currency)}`
})

const corrected = ({ expiresAt, text, ...named }: Facts["corrected"]): MailText => ({
  subject: `Correction for ${nameOf(named)}`,
  text: `${nameOf(named)}: ${text} It is paid until ${dateOf(expiresAt)}.\n`
})

const orderRejected = ({ currency, planName, reason, refund, ...named }: Facts["order_rejected"]): MailText => ({
  subject: `Your order of ${planName} was rejected`,
  text: `Your order of ${planName}, ${nameOf(named)}, was rejected: ${reason}\n\n${
    refund === 0 ? "It cost nothing." : `${money(refund, currency)} are back in your wallet.`
  } You can order again at any time.\n`
})

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

/** Most instances that a mail names: it stays readable, and the panel has them all. */
const NAMED_MAX = 50

const namesOf = (instances: ReadonlyArray<Named>): string => {
  const rest = instances.length - NAMED_MAX
  return instances.slice(0, NAMED_MAX).map((one) => `  ${nameOf(one)}\n`).join("")
    + (rest > 0 ? `  and ${rest} more\n` : "")
}

const NEWS: { readonly [News in Announced["news"]]: (what: string) => string } = {
  planned: (what) => what,
  changed: (what) => `Changed: ${what}`,
  cancelled: (what) => `Canceled: ${what}`
}

const announcement = ({ endsAt, instances, kind, news, startsAt, text, title }: Announced): MailText => {
  const what = kind === "maintenance" ? "Maintenance" : "Announcement"
  const time = `From ${dateOf(startsAt)} to ${dateOf(endsAt)}`
  return {
    subject: NEWS[news](kind === "maintenance" ? `Maintenance on ${dateOf(startsAt)}: ${title}` : title),
    text:
      `${news === "cancelled" ? `This does not take place. ${what}, as it was planned` : what}: ${title}\n${time}\n\n`
      + `${text}\n${instances.length === 0 ? "" : `\nIt concerns:\n\n${namesOf(instances)}`}`
  }
}

export const TEXTS: { readonly [K in MailKind]: (facts: Facts[K], howToPay: HowToPayText) => MailText } = {
  ordered,
  payment_booked: paymentBooked,
  payment_taken_back: paymentTakenBack,
  corrected,
  order_rejected: orderRejected,
  price_announced: priceAnnounced,
  renewal_due: renewalDue,
  expired,
  deletion_due: deletionDue,
  deleted,
  suspended,
  unsuspended,
  deployment_failed: deploymentFailed,
  announcement
}
