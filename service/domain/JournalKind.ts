/** The kinds of bookings. */

/** `debit`: an operator charged for something else. `payout`: money went back to where a top-up came from. */
export const JOURNAL_KINDS = [
  "top_up",
  "instance_create",
  "instance_resize",
  "instance_renew",
  "refund",
  "debit",
  "payout"
] as const
export type JournalKind = typeof JOURNAL_KINDS[number]
