/**
 * Sends the mails that wait in the database, one at a time, oldest first. While the mail server does not take mails,
 * they wait; one whose address the server refuses is not sent, which the log says.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { Limits } from "../config/Limits.ts"
import type { Moments } from "../persistence/DueTimes.ts"
import { Mails, type StoredMail } from "../persistence/Mails.ts"
import { CommitDelay, Transaction } from "../persistence/Transaction.ts"
import { Orders } from "../persistence/Orders.ts"
import { Mailer } from "./Mailer.ts"
import { withInstances } from "./MailTexts.ts"
import { NOTHING_LEFT, planOf } from "./Outbox.ts"

/** Each failure in a row doubles the pause. */
const doubled = (millis: number, failures: number, max: number): number =>
  Math.min(max, millis * 2 ** Math.min(failures - 1, 30))

/** Sends a mail that was taken, and stores the outcome; false if the mail server did not take it. */
const sendTaken = Effect.fnUntraced(function*(mail: StoredMail) {
  const mails = yield* Mails
  const { run } = yield* Transaction
  const { MAIL_RETRY_MAX_MILLIS, MAIL_RETRY_MILLIS, MAIL_STORE_TRIES, MAIL_STORE_PAUSE_MILLIS } = yield* Limits
  const { attempts, event, id, subject, text, to } = mail
  const exit = yield* Effect.exit((yield* Mailer).send({ to, subject, text: Redacted.make(text), id: event }))
  const now = yield* Clock.currentTimeMillis
  const failure = Exit.isSuccess(exit) ? undefined : Option.getOrUndefined(Exit.findErrorOption(exit))
  const reason = failure?.reason ?? "internal error"
  const outcome = Exit.isSuccess(exit)
    ? mails.sent(id, now)
    : failure?.isRefused === true
    ? mails.fail(id, reason)
    : mails.retryAt(id, now + doubled(MAIL_RETRY_MILLIS, attempts, MAIL_RETRY_MAX_MILLIS), reason)
  // A mail that was sent must not be sent again because the database was away for a moment.
  yield* Effect.retry(run(outcome), {
    schedule: Schedule.spaced(MAIL_STORE_PAUSE_MILLIS),
    times: MAIL_STORE_TRIES - 1
  })
  if (Exit.isFailure(exit)) yield* Effect.logWarning(`Mail ${id} to ${to} could not be sent: ${reason}`)
  return Exit.isSuccess(exit) || failure?.isRefused === true
})

/**
 * An announced price as it is now: without instances that were resized or ended since it was written. Undefined, and
 * withdrawn, if none is left.
 */
const upToDate = Effect.fnUntraced(function*(mail: StoredMail) {
  const planId = mail.kind === "price_announced" ? planOf(mail.event) : undefined
  if (planId === undefined || mail.accountId === null) return mail
  const { fail, rewrite } = yield* Mails
  const text = withInstances(mail.text, new Set(yield* (yield* Orders).announced(mail.accountId, planId)))
  if (text === undefined) yield* fail(mail.id, NOTHING_LEFT)
  else if (text !== mail.text) yield* rewrite(mail.id, text)
  return text === undefined ? undefined : { ...mail, text }
})

/** The next mail that is due, for one attempt; undefined if there is none. */
const take: Effect.Effect<StoredMail | undefined, never, Limits | Mails | Orders> = Effect.gen(function*() {
  const now = yield* Clock.currentTimeMillis
  const mail = yield* (yield* Mails).take(now, now + (yield* Limits).MAIL_LEASE_MILLIS)
  if (mail === undefined) return undefined
  return (yield* upToDate(mail)) ?? (yield* take)
})

/** Takes a mail and sends it; undefined if none is due. It is finished when the service stops meanwhile. */
const sendNext = Effect.uninterruptible(Effect.gen(function*() {
  const mail = yield* (yield* Transaction).run(take)
  return mail === undefined ? undefined : yield* sendTaken(mail)
}))

const forgetOld = Effect.gen(function*() {
  const { MAIL_FORGET_BATCH, MAIL_KEPT_MILLIS } = yield* Limits
  const before = (yield* Clock.currentTimeMillis) - MAIL_KEPT_MILLIS
  return (yield* (yield* Transaction).run((yield* Mails).deleteSent(before, MAIL_FORGET_BATCH))) < MAIL_FORGET_BATCH
})

/** The work of this process in the background. */
interface Background {
  readonly start: (work: Effect.Effect<void>) => Effect.Effect<Fiber.Fiber<void>>
  /** A job may be due. */
  readonly notify: Effect.Effect<void>
}

/** The scheduled job that sends mails in the background, so that a slow mail server holds up nothing else. */
export const make = Effect.fnUntraced(function*({ notify, start }: Background) {
  const context = yield* Effect.context<Effect.Services<typeof sendNext | typeof forgetOld>>()
  const { COMMIT_DELAY_MILLIS, MAIL_FORGET_PAUSE_MILLIS, MAIL_PAUSE_MILLIS, MAIL_RETRY_MAX_MILLIS } = yield* Limits
  let isSending = false
  let fiber: Fiber.Fiber<void> | undefined
  let failures = 0
  let paused = 0
  let forgetAt = 0
  const sendAll = Effect.gen(function*() {
    let taken = yield* sendNext
    while (taken === true) {
      failures = 0
      taken = yield* sendNext
    }
    const now = yield* Clock.currentTimeMillis
    if (taken === undefined) {
      // A full batch is continued after the next mail.
      if (now >= forgetAt && (yield* forgetOld)) forgetAt = now + MAIL_FORGET_PAUSE_MILLIS
      return
    }
    // It takes no other mail now, either.
    failures++
    paused = now + doubled(MAIL_PAUSE_MILLIS, failures, MAIL_RETRY_MAX_MILLIS)
  }).pipe(
    Effect.catch((error) =>
      Effect.andThen(
        Effect.logError("Mails could not be sent", error),
        Effect.map(Clock.currentTimeMillis, (now) => void (paused = now + MAIL_PAUSE_MILLIS))
      )
    ),
    Effect.ensuring(Effect.sync(() => void (isSending = false))),
    Effect.ensuring(notify),
    // A mail waits for the commit of another transaction, as tasks do: its own would double the commits of an order.
    Effect.provideService(CommitDelay, COMMIT_DELAY_MILLIS),
    Effect.provideContext(context)
  )
  return {
    dueAt: ({ mail }: Moments) => {
      // A fiber that was interrupted before it began has not ended by its own.
      const isBusy = isSending && fiber?.pollUnsafe() === undefined
      return mail === undefined || isBusy ? undefined : Math.max(mail, paused)
    },
    run: () =>
      Effect.suspend(() => {
        isSending = true
        fiber = undefined
        return Effect.map(start(sendAll), (started) => void (fiber = started))
      })
  }
})
