/** Limits of the activity feed, part of the table in `service/config/Limits.ts`. */
import { limit } from "../config/Config.ts"

export const FEED_RETENTION_MILLIS = limit("FEED_RETENTION_MILLIS", 180 * 24 * 60 * 60_000, {
  unit: "milliseconds",
  reason: "How long ended tasks stay in the activity feed: half a year of who did what; money is kept for ever."
})

export const FEED_FORGET_PAUSE_MILLIS = limit("FEED_FORGET_PAUSE_MILLIS", 60 * 60_000, {
  unit: "milliseconds",
  reason: "How often tasks that are too old are looked for: some of them stay, so their age alone would not end it."
})

export const FEED_FORGET_BATCH = limit("FEED_FORGET_BATCH", 1_000, {
  max: 100_000,
  unit: "tasks",
  reason: "Most ended tasks forgotten at once: some milliseconds, in which nobody else is answered."
})
