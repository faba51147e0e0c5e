/**
 * The mailer of the settings. Without a mail server, the log gets the recipient and the subject of mail, and never its
 * text. The SMTP client is loaded at start, if a server is configured.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Mailer, MailFailed } from "./Mailer.ts"
import type { SmtpError } from "./Smtp.ts"
import { Limits } from "../config/Limits.ts"
import type { Values } from "../config/Config.ts"

export const logMailer: Layer.Layer<Mailer> = Layer.succeed(
  Mailer,
  Mailer.of({ send: ({ subject, to }) => Effect.logInfo(`Mail to ${to}: ${subject}`) })
)

// Computed, so that the bundler leaves it alone: the programs share one bundle of it.
const SMTP: string = "#service/mail/Smtp"

const load = Effect.promise(() => import(SMTP) as Promise<typeof import("./Smtp.ts")>)

/** The end of each mail. The line with two dashes is what mail programs take for the beginning of a signature. */
const signatureOf = ({ brandName, supportUrl }: Host): string => {
  const lines = [brandName, supportUrl.replace(/^mailto:/, "")].filter((line) => line !== "")
  return lines.length === 0 ? "" : `\n-- \n${lines.join("\n")}\n`
}

const failure = (cause: unknown): MailFailed => {
  const { isRefused = false, message = "the mail could not be sent" } = cause as Partial<SmtpError>
  return new MailFailed({ reason: message, isRefused })
}

type Host = Pick<Values, "brandName" | "supportUrl">

interface Server {
  readonly url: string
  readonly from: string
  readonly signature: string
}

const smtpMailer = ({ signature, ...server }: Server): Layer.Layer<Mailer, never, Limits> =>
  Layer.effect(
    Mailer,
    Effect.gen(function*() {
      const { open } = yield* load
      const { send } = open({ ...server, timeout: (yield* Limits).MAIL_SERVER_MILLIS })
      return Mailer.of({
        send: ({ id, subject, text, to }) =>
          Effect.tryPromise({
            try: () => send({ id, subject, to, text: Redacted.value(text) + signature }),
            catch: failure
          })
      })
    })
  )

export const layer = ({ mailFrom, smtpUrl, ...host }: Host & Pick<Values, "mailFrom" | "smtpUrl">) =>
  smtpUrl === "" ? logMailer : smtpMailer({ url: smtpUrl, from: mailFrom, signature: signatureOf(host) })
