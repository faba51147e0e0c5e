/** The limits of mail; `service/config/Limits.ts` gathers all. */
import { limit } from "../config/Config.ts"

export const MAIL_TRIES = limit("MAIL_TRIES", 3, {
  unit: "tries",
  reason: "Tries to mail a copy of a reset password: it is in memory only, so there is no later."
})

export const MAIL_PAUSE_MILLIS = limit("MAIL_PAUSE_MILLIS", 2_000, {
  min: 0,
  unit: "milliseconds",
  reason: "Pause between two tries to mail something: longer than most hiccups of a mail server."
})

export const MAIL_SERVER_MILLIS = limit("MAIL_SERVER_MILLIS", 10_000, {
  unit: "milliseconds",
  reason: "Longest wait for a word of the mail server: a healthy one answers within seconds."
})
