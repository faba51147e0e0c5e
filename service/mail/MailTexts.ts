/** The subject and the text of each mail that waits in the database. */
import type { AnnouncementKind, MailKind } from "../contract/Words.ts"
import { asText, type Minor, toAmount } from "../domain/Money.ts"

/** An instance as its owner knows it. */
export interface Named {
  readonly instanceId: number
  readonly hostname: string | null
}

/** The charges of a period are those that this owner pays. */
export interface PriceAnnounced {
  readonly planName: string
  readonly charge: Minor
  /** ISO 4217 code. */
  readonly currency: string
  /** When the first period with the new price may begin, in epoch milliseconds. */
  readonly from: number
  /** Each with its current charge, and the one that was announced before, if any. */
  readonly instances: ReadonlyArray<Named & { readonly charge: Minor; readonly announced: Minor | null }>
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
  readonly isLast: boolean
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
  readonly at: number
  readonly amount: Minor
  /** Afterwards. */
  readonly wallet: Minor
  readonly currency: string
  /** With the end of the period that is paid now, in epoch milliseconds. */
  readonly renewed: ReadonlyArray<Named & { readonly expiresAt: number }>
  /** Those that are still expired, with the reason. */
  readonly notRenewed: ReadonlyArray<
    Named & {
      readonly reason: string
      /** False: no payment renews it until its renewal is turned on. */
      readonly autoRenew: boolean
      /** When it is deleted, in epoch milliseconds; null if the deletion has begun. */
      readonly graceUntil: number | null
    }
  >
}

export interface PaymentTakenBack {
  readonly at: number
  readonly amount: Minor
  /** Afterwards; below zero, so much is owed. */
  readonly wallet: Minor
  readonly currency: string
  readonly reason: string | undefined
  /** The first moment at which an instance is powered off or deleted for lack of money; undefined if none is soon. */
  readonly until: number | undefined
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

/** The facts that each kind of mail reports. `at`: the moment of what happened, in epoch milliseconds. */
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
    readonly at: number
  }
  readonly price_announced: PriceAnnounced
  readonly renewal_due: RenewalDue
  readonly expired: Grace
  readonly deletion_due: Grace & { readonly isLast: boolean }
  readonly deleted: Named & { readonly byHost: boolean; readonly at: number }
  readonly suspended: Named & { readonly reason: string; readonly isCharged: boolean; readonly at: number }
  readonly unsuspended: Named & { readonly at: number; readonly expiresAt: number | null }
  readonly deployment_failed: Named & { readonly refund: Minor; readonly currency: string; readonly at: number }
  readonly announcement: Announced
}

export interface MailText {
  readonly subject: string
  readonly text: string
  /** The page of the panel that it is about, below /panel. */
  readonly page: string
}

/** The texts that depend on the host. */
export interface Wording {
  /** A moment in the host's time zone, which it names. */
  readonly dateOf: (epochMillis: number) => string
  /** The paragraphs about how to pay an amount, which begin with an empty line; empty if there is nothing to say. */
  readonly howToPay: (missing: Minor, currency: string) => string
}

const money = (amount: Minor, currency: string): string => `${asText(toAmount(amount))} ${currency}`

/** The name of an instance, as mails say it. */
export const nameOf = ({ hostname, instanceId }: Named): string =>
  hostname === null ? `instance ${instanceId}` : `${hostname} (instance ${instanceId})`

const instancePage = ({ instanceId }: Named): string => `instances/${instanceId}`

const WALLET = "wallet"
const INSTANCES = "instances"

const momentOf = (
  { at, graceUntil }: Pick<RenewalDue["due"][number], "at" | "graceUntil">,
  { dateOf }: Wording
): string =>
  graceUntil === null ? `on ${dateOf(at)}` : `now: it has expired, and will be deleted on ${dateOf(graceUntil)}`

/** Reminders are alike: without this, the last one could be taken for a copy of the one before. */
const remind = (isLast: boolean, subject: string): string => isLast ? `Last reminder: ${subject}` : subject

const renewalDue = ({ currency, due, first, isLast, missing, wallet }: RenewalDue, wording: Wording): MailText => {
  const { dateOf, howToPay } = wording
  const lines = due.map((one) => `  ${nameOf(one)}: ${money(one.charge, currency)} ${momentOf(one, wording)}\n`)
  return {
    subject: remind(isLast, `${money(missing, currency)} are missing for your renewals, from ${dateOf(first)}`),
    text:
      `These instances will be renewed soon:\n\n${lines.join("")}\nYour wallet holds ${money(wallet, currency)}, so `
      + `${money(missing, currency)} are missing. Top it up before ${
        dateOf(first)
      }. An instance that cannot be renewed `
      + `is powered off, and deleted later with its data.\n${howToPay(missing, currency)}`,
    page: WALLET
  }
}

const wayBack = (
  { autoRenew, charge, currency, graceUntil, missing }: Grace,
  { dateOf, howToPay }: Wording
): string => {
  const end = dateOf(graceUntil)
  const way = autoRenew
    ? `top up your wallet until it holds ${money(charge, currency)}, before ${end}.`
    : `turn on its automatic renewal before ${end}, with ${money(charge, currency)} in your wallet.`
  return `To keep it, ${way} It is then renewed, and powered on if it was before, at once.\n${
    howToPay(missing, currency)
  }`
}

/** Where it is renewed: by a payment, or by a switch of its own. */
const renewalPage = (facts: Grace): string => facts.autoRenew ? WALLET : instancePage(facts)

const expired = (facts: Grace, wording: Wording): MailText => {
  const end = wording.dateOf(facts.graceUntil)
  return {
    subject: `${nameOf(facts)} has expired, and will be deleted on ${end}`,
    text: `The paid period of ${nameOf(facts)} has ended, and ${
      facts.autoRenew ? "your wallet does not pay for the next one" : "its automatic renewal is off"
    }. It is powered off. On ${end} it will be deleted with all data, snapshots, and backups.\n\n${
      wayBack(facts, wording)
    }`,
    page: renewalPage(facts)
  }
}

const deletionDue = (facts: Facts["deletion_due"], wording: Wording): MailText => {
  const end = wording.dateOf(facts.graceUntil)
  return {
    subject: remind(facts.isLast, `${nameOf(facts)} will be deleted on ${end}`),
    text:
      `${nameOf(facts)} has expired. On ${end} it will be deleted with all data, snapshots, and backups. This cannot `
      + `be undone.\n\n${wayBack(facts, wording)}`,
    page: renewalPage(facts)
  }
}

const deleted = (facts: Facts["deleted"], { dateOf }: Wording): MailText => ({
  subject: `${nameOf(facts)} is deleted`,
  text: `${nameOf(facts)} was deleted on ${dateOf(facts.at)} with all data, snapshots, and backups, because ${
    facts.byHost ? "your host has ended it" : "its paid period had ended, and was not renewed in time"
  }. This cannot be undone. You can order a new instance at any time.\n`,
  page: INSTANCES
})

const suspended = (facts: Facts["suspended"], { dateOf }: Wording): MailText => ({
  subject: `${nameOf(facts)} is suspended`,
  text:
    `Your host suspended ${nameOf(facts)} on ${dateOf(facts.at)}: ${facts.reason}\n\nIt is powered off, and its data `
    + `stays. ${
      facts.isCharged
        ? "It is renewed and charged as before."
        : "Its paid period pauses, so the suspension costs nothing."
    } Contact your host about it.\n`,
  page: instancePage(facts)
})

const unsuspended = (facts: Facts["unsuspended"], { dateOf }: Wording): MailText => ({
  subject: `The suspension of ${nameOf(facts)} has ended`,
  text: `The suspension of ${nameOf(facts)} has ended on ${dateOf(facts.at)}. It is powered on if it was before.${
    facts.expiresAt === null ? "" : ` It is paid until ${dateOf(facts.expiresAt)}.`
  }\n`,
  page: instancePage(facts)
})

const refunded = (refund: Minor, currency: string): string =>
  refund === 0 ? "It cost nothing." : `${money(refund, currency)} are back in your wallet.`

const deploymentFailed = (
  { at, currency, refund, ...named }: Facts["deployment_failed"],
  wording: Wording
): MailText => ({
  subject: `The deployment of ${nameOf(named)} failed`,
  text:
    `${nameOf(named)} could not be deployed on ${wording.dateOf(at)}. ${
      refunded(refund, currency)
    } You can order again `
    + "at any time.\n",
  page: WALLET
})

const ordered = (
  { charge, currency, image, isHeld, planName, renewal, wallet, ...named }: Ordered,
  { dateOf }: Wording
): MailText => ({
  subject: `Your order of ${planName}: ${nameOf(named)}`,
  text: `You have ordered ${nameOf(named)}: ${planName} with ${image}. ${money(charge, currency)} were charged to your `
    + `wallet, which holds ${money(wallet, currency)} now.\n\n${
      isHeld
        ? "Your host approves the order before the instance is deployed."
        : "The instance is ready in a few minutes."
    } It is renewed on ${dateOf(renewal.at)} for ${money(renewal.charge, currency)}, until you turn that off.\n`,
  page: instancePage(named)
})

const notRenewedText = (one: PaymentBooked["notRenewed"][number], { dateOf }: Wording): string => {
  const begin = `  ${nameOf(one)} is still expired. `
  if (one.graceUntil === null) return `${begin}${one.reason}\n`
  const end = dateOf(one.graceUntil)
  return one.autoRenew
    ? `${begin}${one.reason} It will be deleted on ${end}.\n`
    : `${begin}Turn on its automatic renewal before ${end}, when it will be deleted.\n`
}

const paymentBooked = (
  { amount, at, currency, notRenewed, renewed, wallet }: PaymentBooked,
  wording: Wording
): MailText => {
  const lines = [
    ...renewed.map((one) =>
      `  ${nameOf(one)} is renewed until ${wording.dateOf(one.expiresAt)}, and powered on if it was before\n`
    ),
    ...notRenewed.map((one) => notRenewedText(one, wording))
  ]
  return {
    subject: `Your payment of ${money(amount, currency)} is booked`,
    text:
      `Your payment of ${money(amount, currency)} was booked on ${wording.dateOf(at)}. Your wallet holds ${
        money(wallet, currency)
      } now.\n`
      + (lines.length === 0 ? "" : `\n${lines.join("")}`),
    page: WALLET
  }
}

const paymentTakenBack = (
  { amount, at, currency, reason, until, wallet }: PaymentTakenBack,
  { dateOf, howToPay }: Wording
): MailText => {
  const owed = `You owe ${money(-wallet, currency)} now. Until that is paid, nothing can be bought, and no instance is `
    + `renewed: one whose period ends is powered off, and deleted later with its data.${
      until === undefined ? "" : ` Pay it before ${dateOf(until)}, when that begins.`
    }`
  return {
    subject: `${money(amount, currency)} were taken from your wallet`,
    text: `A payment of ${money(amount, currency)} was taken back from your wallet on ${dateOf(at)}${
      reason === undefined ? "." : `: ${reason}`
    }\n\n${wallet < 0 ? owed : `Your wallet holds ${money(wallet, currency)} now.`}\n${howToPay(-wallet, currency)}`,
    page: WALLET
  }
}

const corrected = ({ expiresAt, text, ...named }: Facts["corrected"], { dateOf }: Wording): MailText => ({
  subject: `Correction for ${nameOf(named)}`,
  text: `${nameOf(named)}: ${text} It is paid until ${dateOf(expiresAt)}.\n`,
  page: instancePage(named)
})

const orderRejected = (
  { at, currency, planName, reason, refund, ...named }: Facts["order_rejected"],
  { dateOf }: Wording
): MailText => ({
  subject: `Your order of ${planName} was rejected: ${nameOf(named)}`,
  text: `Your host rejected your order of ${planName}, ${nameOf(named)}, on ${dateOf(at)}: ${reason}\n\n${
    refunded(refund, currency)
  } You can order again at any time.\n`,
  page: WALLET
})

/** The line of an instance begins so; `withoutInstances` finds it. */
const PRICE_LINE = /^ {2}(?:\S+ \()?instance (\d+)\)?: now /

const priceAnnounced = (
  { charge, currency, from, instances, planName }: PriceAnnounced,
  { dateOf }: Wording
): MailText => {
  const lines = instances.map((one) => {
    const replaced = one.announced === null ? "" : `, instead of ${money(one.announced, currency)} as announced before`
    return `  ${nameOf(one)}: now ${money(one.charge, currency)}${replaced}\n`
  })
  return {
    subject: `New price of ${planName}: ${money(charge, currency)} from ${dateOf(from)}`,
    text:
      `The plan ${planName} will cost ${money(charge, currency)} per month for these instances:\n\n${lines.join("")}\n`
      + `That is charged for each period that begins on ${
        dateOf(from)
      } or later. Until then nothing changes. If you do not `
      + "agree, resize the instance, or turn its automatic renewal off before that period begins.\n",
    page: INSTANCES
  }
}

/** The text of an announced price for some of its instances only; undefined if none is left. */
export const withInstances = (text: string, ids: ReadonlySet<number>): string | undefined => {
  const idOf = (line: string): number | undefined => {
    const id = PRICE_LINE.exec(line)?.[1]
    return id === undefined ? undefined : Number(id)
  }
  const lines = text.split("\n").filter((line) => ids.has(idOf(line) ?? Number.NaN) || idOf(line) === undefined)
  return lines.some((line) => idOf(line) !== undefined) ? lines.join("\n") : undefined
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

const announcement = (
  { endsAt, instances, kind, news, startsAt, text, title }: Announced,
  { dateOf }: Wording
): MailText => {
  const what = kind === "maintenance" ? "Maintenance" : "Announcement"
  const time = `From ${dateOf(startsAt)} to ${dateOf(endsAt)}`
  return {
    subject: NEWS[news](kind === "maintenance" ? `Maintenance on ${dateOf(startsAt)}: ${title}` : title),
    text:
      `${news === "cancelled" ? `This does not take place. ${what}, as it was planned` : what}: ${title}\n${time}\n\n`
      + `${text}\n${instances.length === 0 ? "" : `\nIt concerns:\n\n${namesOf(instances)}`}`,
    page: INSTANCES
  }
}

export const TEXTS: { readonly [K in MailKind]: (facts: Facts[K], wording: Wording) => MailText } = {
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
