/** The words of this service for the status of an instance. The specification shows none: other hosts have others. */

/** The statuses of work, which end in another status by themselves. */
const BUSY: ReadonlySet<string> = new Set([
  "pending",
  "provisioning",
  "starting",
  "stopping",
  "restarting",
  "reinstalling",
  "resizing",
  "restoring"
])

/** The statuses that only a new task or a payment changes. */
const SETTLED: ReadonlySet<string> = new Set([
  "running",
  "stopped",
  "rescue",
  "suspended",
  "expired",
  "failed",
  "deleted"
])

export const isBusyStatus = (status: string): boolean => BUSY.has(status)

/** Settled: no task is under way that would lead to another status by itself. */
export const isSettled = (status: string): boolean => SETTLED.has(status)

/** True for a status of the documented service: another word says nothing about an instance. */
export const isDocumentedStatus = (status: string): boolean => isBusyStatus(status) || isSettled(status)
