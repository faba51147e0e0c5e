/** Sends mail through a mail server. The SMTP client is loaded at start, if one is configured. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Limits } from "../config/Limits.ts"
import { Mailer, MailFailed } from "./Mailer.ts"

// Computed, so that the bundler leaves it alone: the programs share one bundle of it.
const SMTP: string = "#service/mail/Smtp"

const load = Effect.promise(() => import(SMTP) as Promise<typeof import("./Smtp.ts")>)

const failure = (cause: unknown): MailFailed =>
  new MailFailed({ reason: cause instanceof Error ? cause.message : "the mail could not be sent" })

interface Server {
  readonly url: string
  readonly from: string
}

export const layer = (server: Server): Layer.Layer<Mailer, never, Limits> =>
  Layer.effect(
    Mailer,
    Effect.gen(function*() {
      const { open } = yield* load
      const { send } = open({ ...server, timeout: (yield* Limits).MAIL_SERVER_MILLIS })
      return Mailer.of({
        send: ({ subject, text, to }) =>
          Effect.tryPromise({ try: () => send({ subject, to, text: Redacted.value(text) }), catch: failure })
      })
    })
  )
