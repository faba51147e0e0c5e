/** The limits of mail. */
import type { LimitTable } from "../Limit.ts"

export const MAIL_LIMITS = {
  MAIL_TRIES: {
    fallback: 3,
    unit: "attempts",
    reason: "Attempts to mail a copy of a reset password: it exists in memory only, so there is no later."
  },
  MAIL_PAUSE_MILLIS: {
    fallback: 2_000,
    min: 0,
    unit: "milliseconds",
    reason: "Delay between two attempts to send a mail: longer than most outages of a mail server."
  },
  MAIL_SERVER_MILLIS: {
    fallback: 10_000,
    unit: "milliseconds",
    reason: "Maximum wait for a reply of the mail server: a healthy one replies within seconds."
  }
} satisfies LimitTable
