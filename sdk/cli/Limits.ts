/** Every limit and time of the command, each with its unit and its reason. */

/** Seconds a wait takes at most unless told otherwise: a deployment takes a minute or two. */
export const WAIT_SECONDS = 600

/** Seconds; what a Node timer can hold. */
export const WAIT_SECONDS_MAX = 2_147_483

/** Milliseconds between two frames of the spinner: smooth, and nothing to a CPU. */
export const SPINNER_MILLIS = 100

/** Milliseconds between two looks at the activity feed while following it: well below any rate limit. */
export const FOLLOW_MILLIS = 2_000

/** Tasks per look while following: what one page of the feed can hold. */
export const FOLLOW_TASKS = 100

/** Columns that help is wrapped at, at most: longer lines are hard to read on wide terminals. */
export const HELP_COLUMNS = 80

/** Columns a chart is wide at most: the eye does not follow a curve any further. */
export const CHART_COLUMNS = 100

/** Lines a chart is high. */
export const CHART_LINES = 3

/** Requests at once while the images of all plans are read. */
export const CATALOGUE_CONCURRENCY = 4

/** Names that are shown when one is not found: more would hide the one that was meant. */
export const SUGGESTIONS = 3

/** Characters of an SSH key that the service takes. */
export const SSH_KEY_MAX = 4096
