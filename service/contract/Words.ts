/** The words of records that the service stores and its callers read. */

/** The kinds of bookings. `debit`: an operator charged for something else. `payout`: money went back to its source. */
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

/** The roles of people in the panel: a customer uses accounts of which they are a member, an operator runs the host. */
export const ROLES = ["customer", "operator"] as const
export type Role = typeof ROLES[number]

/** The access of a member to an account. `read`: they see everything, and change nothing. */
export const PERMISSIONS = ["full", "read"] as const
export type Permission = typeof PERMISSIONS[number]

/** Mails that the owner of an account gets in any case: what they report may cost data or money. */
export const REQUIRED_MAILS = [
  "renewal_due",
  "expired",
  "deletion_due",
  "deleted",
  "suspended",
  "price_announced",
  "payment_taken_back",
  "corrected"
] as const

/** The subjects of the mails that wait in the database until they are sent, in the order in which people see them. */
export const MAIL_KINDS = [
  "ordered",
  "deployment_failed",
  "order_rejected",
  "payment_booked",
  ...REQUIRED_MAILS,
  "unsuspended",
  "announcement"
] as const
export type MailKind = typeof MAIL_KINDS[number]

/** The kinds that wait in the database: those of customers, and the tests of the mail server by operators. */
export const SENT_MAIL_KINDS = [...MAIL_KINDS, "test"] as const
export type SentMailKind = typeof SENT_MAIL_KINDS[number]

/** `maintenance`: instances are affected during it. `announcement`: anything else that a host has to say. */
export const ANNOUNCEMENT_KINDS = ["maintenance", "announcement"] as const
export type AnnouncementKind = typeof ANNOUNCEMENT_KINDS[number]

/**
 * The steps of a new installation, in order. `host`: only for instances with machines. `mail`: the mail server was
 * tried.
 */
export const SETUP_STEPS = ["data_center", "image", "plan", "host", "payment", "mail", "account"] as const
export type SetupStep = typeof SETUP_STEPS[number]

/**
 * The reasons for which an instance ends soon. `not_renewed`: its renewal is off. `unpaid`: the wallet does not pay for
 * it. `expired`: it is deleted unless it is paid.
 */
export const ENDING_REASONS = ["not_renewed", "unpaid", "expired"] as const
export type EndingReason = typeof ENDING_REASONS[number]

export const ANNOUNCEMENT_STATES = ["planned", "running", "ended", "cancelled"] as const
export type AnnouncementState = typeof ANNOUNCEMENT_STATES[number]

export const MAIL_STATES = ["waiting", "sent", "failed"] as const

/** The VAT rules that apply to a customer. */
export const TREATMENTS = ["domestic", "oss", "reverse_charge", "outside_scope", "exempt"] as const
export type Treatment = typeof TREATMENTS[number]

/** The states of API keys. */
export const KEY_STATES = ["active", "expired", "revoked"] as const
export type KeyState = typeof KEY_STATES[number]

/** The states of invitations that were neither accepted nor withdrawn. */
export const INVITATION_STATES = ["pending", "expired"] as const

export const LIFECYCLES = ["pending", "active", "failed", "suspended", "expired", "deleted"] as const
export type Lifecycle = typeof LIFECYCLES[number]

/** The duration of simulated deployments: none, in milliseconds, or in reads of the instance. */
export const DEPLOY_MODES = ["instant", "after_ms", "after_polls"] as const
export type DeployMode = typeof DEPLOY_MODES[number]

export const HOST_STATES = ["active", "draining", "offline"] as const
export type HostState = typeof HOST_STATES[number]

/** The differences between instances and the machines on hosts. */
export const FINDING_KINDS = [
  "unreachable",
  "missing",
  "unknown",
  "duplicate",
  "stale",
  "misplaced",
  "renamed",
  "foreign",
  "power",
  "crash",
  "paused",
  "frozen",
  "unprotected",
  "saved",
  "image",
  "disk",
  "backups",
  "certificate"
] as const
export type FindingKind = typeof FINDING_KINDS[number]

/**
 * `record_on`, `record_off`, `give_up`: the record is corrected, and the machine stays as it is. `start_again` is a
 * start after a restart of the host, of which there may be as many as it has machines. `thaw`, `resume` and `protect`
 * are calls to the machine.
 */
export const REPAIRS = [
  "start",
  "start_again",
  "stop",
  "record_on",
  "record_off",
  "give_up",
  "thaw",
  "resume",
  "protect"
] as const
export type Repair = typeof REPAIRS[number]

/** `command`: an operator's command on the host. `person`: a user of the panel. `service`: the service itself. */
export const ACTOR_KINDS = ["command", "person", "service"] as const
export type ActorKind = typeof ACTOR_KINDS[number]

/**
 * - `done`: the entry was stored in the same transaction as the act.
 * - `rejected`: nothing was changed; `error` says why.
 * - `failed`: an error that was not expected; `error` says what is known.
 */
export const OUTCOMES = ["done", "rejected", "failed"] as const
export type Outcome = typeof OUTCOMES[number]

/**
 * The currencies that wallets and prices may have: those of ISO 4217 with two decimals. Amounts are stored as
 * hundredths, so one with no decimals (JPY), three (KWD) or fifths (MGA) would be charged in the wrong amount.
 */
export const CURRENCIES: ReadonlyArray<string> = (
  "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP "
  + "CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES "
  + "KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD "
  + "PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT "
  + "TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG"
).split(" ")
