/** The limits of keys, instances, billing, mail, and operators' commands. */
import { limit, millis } from "../Limit.ts"

export const USE_CASE_LIMITS = {
  KEY_CACHE_MILLIS: millis(2_000, "How long a valid key is cached: a revocation may take effect this much later.", {
    min: 0,
    max: 2_000
  }),
  KEY_CACHE_ENTRIES: limit(
    10_000,
    "keys",
    "Maximum number of cached keys, so that the cache stays below a few megabytes."
  ),
  KEY_LAST_USED_MILLIS: millis(
    60_000,
    "Minimum time between two writes of a key's `last_used_at`: it is informational, and each write costs.",
    { min: 0 }
  ),
  SNAPSHOTS_MAX: limit(
    3,
    "snapshots",
    "Snapshots of an instance, including those in progress: disks are expensive, and three cover a risky change.",
    { min: 0, max: 1_000 }
  ),
  BACKUP_RETENTION_MILLIS: millis(
    7 * 24 * 60 * 60_000,
    "How long a nightly backup is stored: a mistake is usually noticed within a week."
  ),
  BACKUP_WAIT_MILLIS: millis(
    15 * 60_000,
    "Delay before a backup is retried that found its instance busy or was preempted."
  ),
  PASSWORD_LENGTH: limit(
    20,
    "characters",
    "Length of a generated password: about 119 bits, within the panel's own limit.",
    { min: 12, max: 64 }
  ),
  EXPIRY_GRACE_MILLIS: millis(
    7 * 24 * 60 * 60_000,
    "How long an expired instance waits for a top-up before it is deleted: 7 days, holidays included.",
    { min: 0 }
  ),
  LATE_PAYMENT_MILLIS: millis(
    8 * 24 * 60 * 60_000,
    "A payment so long after the end of a period continues it: the grace by default, and its end. "
      + "A later one buys a whole period from then on.",
    { min: 0 }
  ),
  DEPLOYMENT_INCLUDED_MILLIS: millis(
    60 * 60_000,
    "Longest deployment that is part of the paid period. After a longer one, the period begins when it ends.",
    { min: 0 }
  ),
  FAILED_RETENTION_MILLIS: millis(
    30 * 24 * 60 * 60_000,
    "How long an instance stays in the list whose deployment failed and was refunded: 30 days, to see what happened."
  ),
  FAILED_KEY_RETENTION_MILLIS: millis(
    24 * 60 * 60_000,
    "How long the idempotency keys of a failed instance return it: longer than any retry. Then they may buy again.",
    { min: 0 }
  ),
  REPRICE_NOTICE_MILLIS: millis(
    30 * 24 * 60 * 60_000,
    "Minimum time between the announcement of a price and the first period it applies to: customers can leave.",
    { min: 0 }
  ),
  RENEWAL_PAUSE_MILLIS: millis(
    24 * 60 * 60_000,
    "Minimum time between two charges of an instance that is several periods behind: a mistake can be stopped."
  ),
  IDEMPOTENCY_RETENTION_MILLIS: millis(
    30 * 24 * 60 * 60_000,
    "How long idempotency keys outlive their instance: 30 days, longer than any client retries.",
    { min: 0 }
  ),
  IDEMPOTENCY_WAIT_MILLIS: millis(
    5_000,
    "Maximum wait of a create for another one with its Idempotency-Key: it usually completes within milliseconds."
  ),
  MAIL_TRIES: limit(
    3,
    "attempts",
    "Attempts to mail a copy of a reset password: it exists in memory only, so there is no later."
  ),
  MAIL_PAUSE_MILLIS: millis(
    2_000,
    "Delay between two attempts to send a mail: longer than most outages of a mail server.",
    { min: 0 }
  ),
  REMINDER_MILLIS: millis(
    6 * 60 * 60_000,
    "Interval at which the mails are written that come days before a renewal or a deletion, which may be hours early.",
    { min: 60_000 }
  ),
  MAIL_RETRY_MILLIS: millis(
    30_000,
    "Delay before the second attempt to send a mail that waits in the database; each failure doubles it.",
    { min: 1 }
  ),
  MAIL_RETRY_MAX_MILLIS: millis(
    15 * 60_000,
    "Longest delay between two attempts to send mails: this soon after its return, a mail server has them all."
  ),
  MAIL_LEASE_MILLIS: millis(
    5 * 60_000,
    "How long one attempt to send a mail may take: then it is made again, because its process must have been killed."
  ),
  MAIL_STORE_TRIES: limit(
    10,
    "attempts",
    "Attempts to store that a mail was sent: without it, the mail would be sent twice."
  ),
  MAIL_STORE_PAUSE_MILLIS: millis(1_000, "Delay between two of these attempts.", { min: 0 }),
  MAIL_WATCH_MILLIS: millis(200, "Interval at which a command looks whether its mails were sent."),
  MAIL_WATCH_SILENCE_MILLIS: millis(
    20_000,
    "A command stops waiting for its mails when none was sent for this long: they are sent without it."
  ),
  MAIL_KEPT_MILLIS: millis(
    90 * 24 * 60 * 60_000,
    "How long a sent mail stays in the database: a customer's question about one comes within weeks."
  ),
  MAIL_FORGET_PAUSE_MILLIS: millis(
    60 * 60_000,
    "Minimum time between two deletions of old mails: one after each mail would cost as much as the mail."
  ),
  MAIL_FORGET_BATCH: limit(
    100,
    "mails",
    "Sent mails that are deleted in one transaction, so that it stays short."
  ),
  MAIL_SERVER_MILLIS: millis(
    10_000,
    "Maximum wait for a reply of the mail server: a healthy one replies within seconds."
  ),
  ADMIN_REQUEST_BYTES_MAX: limit(
    4 * 1024 * 1024,
    "bytes",
    "Largest request on the admin socket: a catalogue with thousands of plans.",
    { min: 64 * 1024 }
  ),
  ADMIN_SILENCE_MILLIS: millis(
    30_000,
    "Maximum wait of `vps-service admin` for a sign of life: the service sends one every second of a command."
  )
}
