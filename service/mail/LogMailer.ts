/** Logs the recipient and the subject of mail, and never its text, when no mail server is configured. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Mailer } from "./Mailer.ts"

export const layer: Layer.Layer<Mailer> = Layer.succeed(
  Mailer,
  Mailer.of({ send: ({ subject, to }) => Effect.logInfo(`Mail to ${to}: ${subject}`) })
)
