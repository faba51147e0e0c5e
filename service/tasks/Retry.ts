/** When a task that met a transient fault is tried again, and when it has been tried enough. */
import type { LimitValues } from "../config/Limits.ts"
import type { Task } from "../persistence/tasks/Task.ts"
import type { RetryBudget } from "../operations/Saga.ts"

type Tried = Pick<Task, "attempts" | "createdAt" | "startedAt">

/** Tries and time are both used up. */
export const isExhausted = ({ attempts, createdAt, startedAt }: Tried, patience: RetryBudget, now: number): boolean =>
  attempts >= patience.attempts && now - (startedAt ?? createdAt) >= patience.millis

/** Doublings beyond this are past any cap. */
const MAX_DOUBLINGS = 30

/**
 * Full jitter: anywhere between nothing and the doubled pause, in milliseconds, so that tasks that failed together do
 * not come back together. `chance` is from 0 to 1.
 */
export const pauseAfter = (
  attempts: number,
  chance: number,
  { RETRY_BASE_MILLIS, RETRY_CAP_MILLIS }: Pick<LimitValues, "RETRY_BASE_MILLIS" | "RETRY_CAP_MILLIS">
): number => {
  const doublings = Math.min(attempts - 1, MAX_DOUBLINGS)
  return Math.floor(chance * Math.min(RETRY_CAP_MILLIS, RETRY_BASE_MILLIS * 2 ** doublings))
}
