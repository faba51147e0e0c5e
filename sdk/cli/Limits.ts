/** The limits and timings of the command, each with its unit and reason. */

/** Default `--timeout` of a wait in seconds. A deployment takes a minute or two. */
export const WAIT_SECONDS = 600

/** Maximum `--timeout` in seconds: the limit of a Node timer. */
export const WAIT_SECONDS_MAX = 2_147_483

/** Milliseconds between two frames of the spinner: smooth, at negligible CPU cost. */
export const SPINNER_MILLIS = 100

/** Milliseconds between two polls of the task feed with `--follow`: well below the rate limits. */
export const FOLLOW_MILLIS = 2_000

/** Tasks per poll: the maximum page size of the feed. */
export const FOLLOW_TASKS = 100

/** Milliseconds between two attempts to lock the file of contexts: about as long as a change takes. */
export const LOCK_POLL_MILLIS = 20

/** Milliseconds until a lock counts as left behind: long enough for dozens of logins at once on a slow disk. */
export const LOCK_WAIT_MILLIS = 10_000

/** Maximum columns of help texts: longer lines are hard to read on wide terminals. */
export const HELP_COLUMNS = 80

/** Maximum columns of a chart: wider curves are hard to read. */
export const CHART_COLUMNS = 100

/** Height of a chart in lines. */
export const CHART_LINES = 3

/** Maximum concurrent requests while listing the images of all plans. */
export const CATALOGUE_CONCURRENCY = 4

/** Milliseconds for each request of a completion: a person waits for it at the prompt. */
export const COMPLETION_MILLIS = 2_000

/** Maximum characters of an SSH key: the limit of the API. */
export const SSH_KEY_MAX = 4096
