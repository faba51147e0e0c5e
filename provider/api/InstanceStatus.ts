/** Predicates on the status of an instance. New values may be added, so an unknown one counts as busy. */

const ENDED = new Set(["failed", "expired", "deleted"])
const STABLE = new Set(["running", "stopped", "rescue", "suspended"])

/** Such an instance holds no data worth keeping and renews no more. */
export const isEnded = (status: string): boolean => ENDED.has(status)

/** Settled: no task is under way that would lead to another status by itself. */
export const isSettled = (status: string): boolean => STABLE.has(status) || isEnded(status)
