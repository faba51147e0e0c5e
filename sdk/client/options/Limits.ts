/** Every limit, timeout and retry count of the client, each with its unit and its reason. */

/** Milliseconds one attempt may take, connecting included: the slowest call waits for an upstream that has 20 s. */
export const ATTEMPT_TIMEOUT_MS = 30_000

/** Retries after the first attempt: with the back-off below 7.5 s at most, which a restart of the service fits into. */
export const MAX_RETRIES = 4

/** Milliseconds; the first back-off lies between 0 and this (full jitter), each further one may be twice as long. */
export const BACKOFF_BASE_MS = 500

/** Milliseconds; longer pauses between attempts would only make a caller wait for an answer that is there already. */
export const BACKOFF_CAP_MS = 8_000

/** Seconds; a host that asks for a longer pause is told to the caller instead of being waited for. */
export const RETRY_AFTER_MAX_S = 60

/** Milliseconds; a deployment takes a minute or two, so ten minutes means that it will not come by itself. */
export const WAIT_TIMEOUT_MS = 600_000

/** Milliseconds between the first two polls of a wait: quick machines are there within seconds. */
export const POLL_FIRST_MS = 1_000

/** Milliseconds between polls at most: slow enough for the rate limit, quick enough for a person. */
export const POLL_CAP_MS = 10_000

/** Each pause between polls is this much longer than the one before. */
export const POLL_GROWTH = 1.5

/** Milliseconds between two rounds of the looks that the waits of one client take; short enough to seem at once. */
export const POLL_TICK_MS = 100

/** Requests of one round: 40 a second at most, however many waits there are, below what a host lets one key send. */
export const POLLS_PER_TICK = 4

/** Waits due at once from which on one list is cheaper for the host than asking for each. */
export const LIST_THRESHOLD = 4

/** Milliseconds between two such lists: nobody who waits for a machine is in more of a hurry than the first pause. */
export const LIST_INTERVAL_MS = 1_000

/** Milliseconds; a Node timer may end this much early. */
export const TIMER_RESOLUTION_MS = 1

/** Tasks of one page when the whole feed is read: as many as a host gives at once. */
export const TASKS_PAGE = 100

/** Milliseconds; what a Node timer can hold. Longer times would fire at once. */
export const TIMER_MAX_MS = 2_147_483_647

/** Connections to one host: more calls than this wait for a free one, so a burst cannot exhaust the sockets. */
export const CONNECTIONS_MAX = 64

/** Milliseconds a connection attempt may take: a host that is there answers within a few round trips. */
export const CONNECT_TIMEOUT_MS = 10_000

/** Milliseconds an idle connection is kept: below the 5 s after which Node servers close theirs. */
export const KEEP_ALIVE_MS = 4_000

/** Bytes of an answer's body: 10,000 instances in one list are about 10 MB. */
export const RESPONSE_MAX_BYTES = 32 * 1024 * 1024

/** Characters of a `detail` that are kept: a proxy's error page is cut, a sentence never is. */
export const DETAIL_MAX_CHARS = 1_000

/** Characters of an idempotency key, as the contract says. */
export const IDEMPOTENCY_KEY_MAX = 255
