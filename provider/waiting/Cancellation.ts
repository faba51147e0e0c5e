/** The wait of hosts whose engine can cancel a run. */
import { setTimeout as sleep } from "node:timers/promises"
import { CanceledError } from "../api/Errors.ts"

/** @throws CanceledError when the signal is aborted, before the wait or during it. */
export const sleepUnlessCanceled = async (ms: number, signal: AbortSignal): Promise<void> => {
  try {
    await sleep(ms, undefined, { signal })
  } catch (error) {
    throw signal.aborted ? new CanceledError() : error
  }
}
