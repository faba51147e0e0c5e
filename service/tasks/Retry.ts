/** When a task that met a transient fault is retried, and when its retries are exhausted. */
import type { LimitValues } from "../config/Limits.ts"
import type { RetryPolicy } from "../operations/Saga.ts"
import type { Task } from "../persistence/tasks/Task.ts"

/** The limits of retries. */
export interface RetryBudget {
  /** Attempts, at least. */
  readonly attempts: number
  /** Milliseconds since the first attempt, at least; both must be used up before the task fails permanently. */
  readonly millis: number
  /** Maximum duration of one attempt, in milliseconds; after that it counts as a transient fault. */
  readonly attemptMillis: number
}

const BUDGETS: Readonly<Record<RetryPolicy, (limits: LimitValues) => RetryBudget>> = {
  default: ({ ATTEMPTS_MAX, OPERATION_PATIENCE_MILLIS }) => ({
    attempts: ATTEMPTS_MAX,
    millis: 0,
    attemptMillis: OPERATION_PATIENCE_MILLIS
  }),
  single: ({ UPSTREAM_CALL_MILLIS }) => ({ attempts: 1, millis: 0, attemptMillis: UPSTREAM_CALL_MILLIS }),
  persistent: ({ ATTEMPTS_MAX, PROVISION_PATIENCE_MILLIS }) => ({
    attempts: ATTEMPTS_MAX,
    millis: PROVISION_PATIENCE_MILLIS,
    attemptMillis: PROVISION_PATIENCE_MILLIS
  })
}

/** The budget of a policy, within the limits in effect. */
export const budgetOf = (policy: RetryPolicy, limits: LimitValues): RetryBudget => BUDGETS[policy](limits)

type Attempted = Pick<Task, "attempts" | "createdAt" | "startedAt">

/** Attempts and time are both used up. */
export const isExhausted = (
  { attempts, createdAt, startedAt }: Attempted,
  budget: Pick<RetryBudget, "attempts" | "millis">,
  now: number
): boolean => attempts >= budget.attempts && now - (startedAt ?? createdAt) >= budget.millis

/** Doublings beyond this exceed any cap. */
const MAX_DOUBLINGS = 30

/**
 * Full jitter: anywhere between nothing and the doubled pause, in milliseconds, so that tasks that failed together are
 * not retried together. `random` is from 0 to 1.
 */
export const pauseAfter = (
  attempts: number,
  random: number,
  { RETRY_BASE_MILLIS, RETRY_CAP_MILLIS }: Pick<LimitValues, "RETRY_BASE_MILLIS" | "RETRY_CAP_MILLIS">
): number => {
  const doublings = Math.min(attempts - 1, MAX_DOUBLINGS)
  return Math.floor(random * Math.min(RETRY_CAP_MILLIS, RETRY_BASE_MILLIS * 2 ** doublings))
}
