/** The limits of the panel: its sessions, its links, and what a person may do how often. */
import { limit, millis } from "../Limit.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export const PANEL_LIMITS = {
  SESSION_IDLE_MILLIS: millis(
    12 * HOUR,
    "A session ends after this long without a request: a working day with breaks."
  ),
  SESSION_MILLIS: millis(7 * 24 * HOUR, "A session ends after this long in any case: a week is how long a theft pays."),
  SESSION_SEEN_MILLIS: millis(MINUTE, "`seen_at` of a session is written at most this often: each write costs.", {
    min: 0
  }),
  SESSION_FRESH_MILLIS: millis(
    5 * MINUTE,
    "How long a sign-in counts as fresh, which changes of money and access need: an unlocked screen is not enough."
  ),
  SIGN_IN_LINK_MILLIS: millis(24 * HOUR, "How long a link to sign in is valid: people read mail once a day."),
  INVITATION_MILLIS: millis(7 * DAY, "How long an invitation is valid, as on GitHub: a person may be on leave."),
  INVITATION_KEPT_MILLIS: millis(
    30 * DAY,
    "How long after its last mail an open invitation is listed: so that it can be sent again after its end."
  ),
  INVITATIONS_PER_DAY: limit(
    50,
    "invitations",
    "Addresses that an account's members may invite in 24 hours: a team, but no mailing."
  ),
  CHALLENGE_MILLIS: millis(5 * MINUTE, "Time to confirm with a passkey: finding a security key takes a minute or two."),
  SIGN_INS_PER_HOUR: limit(
    60,
    "requests",
    "Refused attempts of an address to sign in, and mails that it requests, per hour: people need a few."
  ),
  REFUSED_SIGN_INS_MILLIS: millis(
    HOUR,
    "Refused attempts of an address to sign in are two entries of the audit log in this time: none is ever deleted."
  ),
  REFUSED_SIGN_IN_ADDRESSES_MAX: limit(
    50,
    "addresses",
    "Addresses with such entries of their own in this time; the others share two: anyone can cause them."
  ),
  LINK_MAIL_PAUSE_MILLIS: millis(
    20 * MINUTE,
    "An address gets one mail with a link, or from an account, in this time: a stranger must not flood a mailbox."
  ),
  CONSOLE_TICKET_MILLIS: millis(30_000, "How long a ticket for a console is valid: a page uses it at once."),
  CONSOLE_IDLE_MILLIS: millis(HOUR, "A console ends after this long without input: a forgotten one is an open door."),
  CONSOLE_CHECK_MILLIS: millis(
    5_000,
    "Interval of checking whether the person may still use an open console: so long a revocation takes at most."
  ),
  CONSOLES_PER_INSTANCE_MAX: limit(
    3,
    "consoles",
    "Open consoles of an instance in a process: each streams its screen."
  ),
  EVENTS_INTERVAL_MILLIS: millis(
    250,
    "Interval of looking for changes while pages are open: shorter than people notice."
  ),
  EVENTS_HEARTBEAT_MILLIS: millis(
    15_000,
    "Interval of signs of life on an event stream: proxies close connections that are silent for 30 to 60 s.",
    { below: "SILENCE_MILLIS" }
  ),
  EVENT_STREAMS_MAX: limit(
    2_000,
    "streams",
    "Open event streams, about 100 kB each. Pages without one poll every few seconds."
  ),
  EVENT_STREAMS_PER_PERSON_MAX: limit(
    20,
    "streams",
    "Open event streams of a person: several browsers, each with more than the six that it opens to one address."
  ),
  FAILURES_SHOWN_MILLIS: millis(
    7 * DAY,
    "How long a failed task is shown to the customer until it is dismissed: a holiday is longer, but old news is noise."
  ),
  PEOPLE_PER_ACCOUNT_MAX: limit(50, "people", "Members of an account: enough for a team."),
  SSH_KEYS_PER_ACCOUNT_MAX: limit(100, "SSH keys", "Stored SSH keys of an account: two for each of its people."),
  PASSKEYS_PER_PERSON_MAX: limit(20, "passkeys", "Passkeys of a person: one for each device.")
}
