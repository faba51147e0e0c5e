/** Mails customers in the background, from memory. A mail that cannot be sent is reported in the feed and dropped. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import {
  type InvitationNotice,
  type LinkNotice,
  Notices,
  type PasswordReset,
  type SignInNotice
} from "../instances/Notices.ts"
import { Letterhead } from "../config/Letterhead.ts"
import { Limits } from "../config/Limits.ts"
import type { AuditEntry } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { type Mail, Mailer } from "./Mailer.ts"
import { nameOf } from "./MailTexts.ts"

type Dates = Pick<typeof Letterhead.Service, "dateOf">

type Pages = Pick<typeof Letterhead.Service, "dateOf" | "pageOf">

const copyOf = ({ email, password, resetAt, ...named }: PasswordReset, { dateOf }: Dates): Mail => ({
  to: email,
  subject: `New root password of ${nameOf(named)}`,
  text: Redacted.make(
    `The root password of ${nameOf(named)} was reset on ${dateOf(resetAt)}. It is now:\n\n${
      Redacted.value(password)
    }\n\n`
      + "Change it after you have logged in. If you did not request this, revoke your API keys.\n"
  )
})

const purposeOf = ({ account, permission }: InvitationNotice): string => {
  if (account === undefined) return "the panel as an operator"
  return permission === "read" ? `see the account ${account}, without changing it` : `work with the account ${account}`
}

const invitationOf = (notice: InvitationNotice, { dateOf }: Dates): Mail => {
  const { account, email, expiresAt, invitedBy, link } = notice
  return {
    to: email,
    subject: account === undefined ? "Invitation to the panel" : `Invitation to the account ${account}`,
    text: Redacted.make(
      `${invitedBy ?? "Your host"} invites you to ${purposeOf(notice)}. Open this page to accept or decline:\n\n`
        + `${Redacted.value(link)}\n\n`
        + `The link works once, until ${dateOf(expiresAt)}. It signs you in as ${email}. If you have signed in `
        + "before, the panel shows the invitation, too. If you did not expect this mail, ignore it.\n"
    )
  }
}

const linkOf = ({ email, expiresAt, link }: LinkNotice, { dateOf }: Dates): Mail => ({
  to: email,
  subject: "Your link to the panel",
  text: Redacted.make(
    `Open this page and press its button to sign in to the panel:\n\n${Redacted.value(link)}\n\n`
      + `The link works once, until ${dateOf(expiresAt)}. Set up a passkey then, with which you sign in from now `
      + "on. If you did not expect this mail, ignore it.\n"
  )
})

const signInOf = ({ address, agent, at, email, method }: SignInNotice, { dateOf, pageOf }: Pages): Mail => {
  const page = pageOf("profile")
  return {
    to: email,
    subject: "New sign-in to the panel",
    text: Redacted.make(
      `You signed in to the panel with a ${method} on ${dateOf(at)}, from ${address} (${printable(agent)}).\n\n`
        + "If it was not you, sign in, end that session, and remove passkeys that are not yours"
        + (page === undefined ? ".\n" : `:\n\n${page}\n`)
    )
  }
}

/** Chosen by the client: only what cannot format or hide anything. */
const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, "?")

type Failure = Pick<AuditEntry, "apiKeyId" | "error" | "instanceId" | "requestId" | "type">

const reportFailure = Effect.fnUntraced(function*(failure: Failure) {
  const tasks = yield* Tasks
  const at = yield* Clock.currentTimeMillis
  yield* (yield* Transaction).run(tasks.recordAudit({ ...failure, actor: "system", status: "failed", at }))
})

const send = Effect.fnUntraced(function*(mail: Mail) {
  const mailer = yield* Mailer
  const { MAIL_PAUSE_MILLIS, MAIL_TRIES } = yield* Limits
  const again = { schedule: Schedule.spaced(MAIL_PAUSE_MILLIS), times: MAIL_TRIES - 1 }
  return yield* Effect.retry(mailer.send(mail), again).pipe(
    Effect.tapError(({ reason }) => Effect.logWarning(`A mail to ${mail.to} could not be sent: ${reason}`))
  )
})

/** Sends a mail, and reports when all attempts have failed or the service stops before. */
const deliver = (mail: Mail, failure: Failure) =>
  send(mail).pipe(
    Effect.onError(() => Effect.ignore(reportFailure(failure))),
    Effect.isSuccess
  )

const deliverPassword = (notice: PasswordReset, letterhead: Dates) =>
  deliver(copyOf(notice, letterhead), {
    instanceId: notice.instanceId,
    type: "reset_password",
    apiKeyId: notice.caller.apiKeyId,
    requestId: notice.caller.requestId,
    error: "A copy of the new root password could not be mailed to the account's owner."
  })

const make = Effect.gen(function*() {
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof deliver>>>()
  const letterhead = yield* Letterhead
  const fibers = yield* FiberSet.make<boolean>()
  const fork = <A, E>(work: Effect.Effect<A, E, Effect.Services<ReturnType<typeof send>>>) =>
    Effect.asVoid(FiberSet.run(fibers, Effect.isSuccess(Effect.provideContext(work, context))))
  const inBackground = (mail: Mail) => fork(send(mail))
  return Notices.of({
    passwordReset: (notice) =>
      Effect.asVoid(FiberSet.run(fibers, Effect.provideContext(deliverPassword(notice, letterhead), context))),
    invited: (notice) => Effect.provideContext(Effect.isSuccess(send(invitationOf(notice, letterhead))), context),
    linked: (notice) => Effect.provideContext(Effect.isSuccess(send(linkOf(notice, letterhead))), context),
    requestedLink: (made) =>
      fork(Effect.flatMap(
        Effect.tapCause(made, (cause) => Effect.logError("A requested link could not be made", cause)),
        (notice) => notice === undefined ? Effect.void : send(linkOf(notice, letterhead))
      )),
    signedIn: (notice) => inBackground(signInOf(notice, letterhead))
  })
})

export const layer: Layer.Layer<Notices, never, Limits | Mailer | Tasks | Transaction> = Layer.effect(Notices, make)
