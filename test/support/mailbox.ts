/** A mail server for tests: keeps what it takes, refuses on demand. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Mail, Mailer, MailFailed } from "#service/mail/Mailer"
import * as Notices from "#service/mail/MailedNotices"

export class Mailbox extends Context.Service<Mailbox, {
  /** Without the confirmations of orders, because most tests begin with some. */
  readonly received: Array<Mail>
  readonly confirmations: Array<Mail>
  /** The number of mails still to refuse. */
  refusals: number
  /** Permanently refuses mails to this address. */
  refused: string | undefined
  /** Runs while the next mail is being sent. */
  meanwhile: Effect.Effect<void> | undefined
}>()("test/Mailbox") {}

const state = Layer.sync(Mailbox, () => ({
  received: [],
  confirmations: [],
  refusals: 0,
  refused: undefined,
  meanwhile: undefined
}))

const mailer = Layer.effect(
  Mailer,
  Effect.map(Mailbox, (box) =>
    Mailer.of({
      send: (mail) =>
        Effect.suspend(() => {
          const { meanwhile = Effect.void } = box
          box.meanwhile = undefined
          return meanwhile
        }).pipe(Effect.andThen(Effect.suspend(() => {
          if (box.refusals > 0) {
            box.refusals--
            return Effect.fail(new MailFailed({ reason: "no", isRefused: false }))
          }
          if (mail.to === box.refused) {
            return Effect.fail(new MailFailed({ reason: "no such address", isRefused: true }))
          }
          const { confirmations, received } = box
          return Effect.sync(() =>
            void (mail.id?.startsWith("ordered:") === true ? confirmations : received).push(mail)
          )
        })))
    }))
)

/** Notices that end in the mailbox, the mailbox, and the mailer into it. */
export const layer = Notices.layer.pipe(Layer.provideMerge(mailer), Layer.provideMerge(state))
