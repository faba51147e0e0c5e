/**
 * Mails that report what happened: written to the database in the transaction of the event, so that there is a mail if
 * and only if it happened, and sent afterwards by `MailDelivery`. A mail with a password or a link is never written.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { MailKind } from "../contract/Words.ts"
import { Limits } from "../config/Limits.ts"
import { Letterhead } from "../config/Letterhead.ts"
import { Payment } from "../config/Payment.ts"
import { payParagraphs } from "../domain/HowToPay.ts"
import type { Minor } from "../domain/Money.ts"
import { Mails, type NewMail } from "../persistence/Mails.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { type Facts, TEXTS } from "./MailTexts.ts"

export interface Recipient {
  readonly accountId: number
  /** Null if the mail is not about one instance. */
  readonly instanceId: number | null
  readonly email: string
}

const mailOf = Effect.fnUntraced(function*<K extends MailKind>(
  kind: K,
  { accountId, email, instanceId }: Recipient,
  event: string,
  facts: Facts[K]
) {
  const payment = yield* Payment
  const { dateOf, pageOf } = yield* Letterhead
  const howToPay = (missing: Minor, currency: string) => payParagraphs(payment, { accountId, missing, currency })
  const { page, subject, text: body } = TEXTS[kind](facts, { dateOf, howToPay })
  const link = pageOf(page)
  const text = link === undefined ? body : `${body}\nIn the panel: ${link}\n`
  return { event: `${kind}:${event}`, kind, accountId, instanceId, to: email, subject, text } satisfies NewMail
})

/** The event of an announced price, among the mails of its kind. */
export const announcementEvent = (accountId: number, planId: number, orderId: number, at: number): string =>
  `${accountId}:${planId}:${at}:${orderId}`

/** The error of a mail that announced prices which no instance has any more. */
export const NOTHING_LEFT = "Its instances have another plan by now, or have ended."

/** The plan whose price a mail announces, from its stored event. */
export const planOf = (event: string): number | undefined => {
  const id = /^price_announced:\d+:(\d+):/.exec(event)?.[1]
  return id === undefined ? undefined : Number(id)
}

/**
 * Writes a mail for all who get it, once for each `event`, which is unique among the mails of its kind. Part of its
 * caller's transaction.
 */
export const post = Effect.fnUntraced(function*<K extends MailKind>(
  kind: K,
  to: Recipient,
  event: string,
  facts: Facts[K],
  at: number
) {
  yield* (yield* Mails).add(yield* mailOf(kind, to, event, facts), at)
})

/** The same for a mail that the caller waits for; returns the id of the owner's, or 0 if there is one of this event. */
export const postAwaited = Effect.fnUntraced(function*<K extends MailKind>(
  kind: K,
  to: Recipient,
  event: string,
  facts: Facts[K],
  at: number
) {
  const mails = yield* Mails
  const mail = yield* mailOf(kind, to, event, facts)
  const id = yield* mails.addForOwner(mail, at)
  yield* mails.add(mail, at)
  return id
})

/** The mails of these that wait to be sent. */
const stillWaiting = Effect.fnUntraced(function*(ids: ReadonlyArray<number>) {
  const mails = yield* Mails
  return yield* Effect.filter(
    ids,
    (id) => Effect.map(mails.find(id), (mail) => mail !== undefined && mail.dueAt !== null)
  )
})

/**
 * Waits until mails are sent or refused; returns those that still wait, because none was sent for a while or `stop` has
 * completed.
 */
export const awaitSent = Effect.fnUntraced(function*(ids: ReadonlyArray<number>, stop: Effect.Effect<void>) {
  const { MAIL_WATCH_MILLIS, MAIL_WATCH_SILENCE_MILLIS } = yield* Limits
  const isStopped = Effect.raceFirst(Effect.as(Effect.sleep(MAIL_WATCH_MILLIS), false), Effect.as(stop, true))
  let waiting = yield* stillWaiting(ids)
  let changedAt = yield* Clock.currentTimeMillis
  while (waiting.length > 0) {
    if (yield* isStopped) break
    const left = yield* stillWaiting(waiting)
    const now = yield* Clock.currentTimeMillis
    if (left.length < waiting.length) changedAt = now
    waiting = left
    if (now - changedAt >= MAIL_WATCH_SILENCE_MILLIS) break
  }
  return waiting
})

/** Withdraws mails that wait, each with `undo` in one transaction; those that are being sent stay. Returns which. */
export const withdraw = Effect.fnUntraced(function*<E, R>(
  ids: ReadonlyArray<number>,
  reason: string,
  undo: (id: number) => Effect.Effect<void, E, R>
) {
  const mails = yield* Mails
  const { run } = yield* Transaction
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.filter(ids, (id) =>
    run(Effect.gen(function*() {
      const isWithdrawn = yield* mails.withdraw(id, now, reason)
      if (isWithdrawn) yield* undo(id)
      return isWithdrawn
    })))
})
