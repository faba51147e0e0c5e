/** Mail for a service without a mail server: the log says to whom something would have gone, and never what. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Mailer } from "./Mailer.ts"

export const layer: Layer.Layer<Mailer> = Layer.succeed(
  Mailer,
  Mailer.of({ send: ({ subject, to }) => Effect.logInfo(`Mail to ${to}: ${subject}`) })
)
