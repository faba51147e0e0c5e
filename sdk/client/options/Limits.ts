/** Every limit, timeout and retry count of the client, with its unit and reason. */

/** Milliseconds per attempt, including the connection. The slowest operation waits up to 20 s for an upstream. */
export const ATTEMPT_TIMEOUT_MS = 30_000

/** Retries after the first attempt. With the backoff below, 7.5 s at most: enough for a restart of the service. */
export const MAX_RETRIES = 4

/** Milliseconds. The first backoff is between 0 and this (full jitter); the upper bound doubles with each retry. */
export const BACKOFF_BASE_MS = 500

/** Milliseconds. A longer backoff would delay callers after the server has recovered. */
export const BACKOFF_CAP_MS = 8_000

/** Seconds. If the server requests a longer delay, the call fails instead of waiting. */
export const RETRY_AFTER_MAX_S = 60

/** Milliseconds. A deployment takes one or two minutes; after ten it will not finish by itself. */
export const WAIT_TIMEOUT_MS = 600_000

/** Milliseconds between the first two polls of a wait. Fast deployments finish within seconds. */
export const POLL_FIRST_MS = 1_000

/** Maximum milliseconds between polls: slow enough for the rate limit, fast enough for a person. */
export const POLL_CAP_MS = 10_000

/** Milliseconds by which the timer of a wait is late after a sleep; a busy event loop is late by less. */
export const SLEPT_MS = 1_000

/** Growth factor of the interval between polls. */
export const POLL_GROWTH = 1.5

/** Milliseconds between two rounds of polls of one client. Short enough to seem immediate. */
export const POLL_TICK_MS = 100

/** Requests per round: 40 per second for any number of waits, below the rate limit of one API key. */
export const POLLS_PER_TICK = 4

/** The number of due waits from which one list request is cheaper for the server than a request for each. */
export const LIST_THRESHOLD = 4

/** Milliseconds between two list requests: as long as the first poll interval. */
export const LIST_INTERVAL_MS = 1_000

/** Milliseconds. A Node timer may fire this much early. */
export const TIMER_RESOLUTION_MS = 1

/** Tasks per page when the whole feed is read: the maximum that the server returns. */
export const TASKS_PAGE = 100

/** Milliseconds: the maximum of a Node timer. Longer timers would fire immediately. */
export const TIMER_MAX_MS = 2_147_483_647

/** Connections to one server. Further calls wait for a free one, so a burst cannot exhaust the sockets. */
export const CONNECTIONS_MAX = 64

/** Default of instances that a bulk call works on at once: quick for a hundred, and below the service's rate limits. */
export const BULK_CONCURRENCY = 8

/** Milliseconds to connect. A server that is up accepts within a few round trips. */
export const CONNECT_TIMEOUT_MS = 10_000

/** Milliseconds before an idle connection is closed: less than the 5 s after which Node servers close theirs. */
export const KEEP_ALIVE_MS = 4_000

/** Bytes of a response body. A list of 10,000 instances is about 10 MB. */
export const RESPONSE_MAX_BYTES = 32 * 1024 * 1024

/** Characters of a `detail`. This truncates the error page of a proxy, but no sentence. */
export const DETAIL_MAX_CHARS = 1_000

/** Characters of an idempotency key, as in the contract. */
export const IDEMPOTENCY_KEY_MAX = 255
