/** The limits of mail. */
import type { LimitTable } from "../config/Limit.ts"

export const MAIL_LIMITS = {
  MAIL_TRIES: {
    fallback: 3,
    unit: "tries",
    reason: "Tries to mail a copy of a reset password: it is in memory only, so there is no later."
  },
  MAIL_PAUSE_MILLIS: {
    fallback: 2_000,
    min: 0,
    unit: "milliseconds",
    reason: "Pause between two tries to mail something: longer than most hiccups of a mail server."
  },
  MAIL_SERVER_MILLIS: {
    fallback: 10_000,
    unit: "milliseconds",
    reason: "Longest wait for a word of the mail server: a healthy one answers within seconds."
  }
} satisfies LimitTable
