/** The metrics of a machine, and their resolutions. */

/** The mean over one step. */
export interface Sample {
  /** The end of the step, in epoch milliseconds. */
  readonly at: number
  /** Of all cores together: 0 to 100. */
  readonly cpuPercent: number
  readonly memoryBytes: number
  readonly memoryTotalBytes: number
  readonly diskReadBytesPerSecond: number
  readonly diskWriteBytesPerSecond: number
  readonly networkRxBytesPerSecond: number
  readonly networkTxBytesPerSecond: number
}

/** The finest step that is retained, in seconds: the step of live status. */
export const FINEST_STEP_SECONDS = 10

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The length and step of each range, in seconds: each is one screen of a few hundred samples. */
export const RESOLUTIONS = {
  "1h": { seconds: HOUR, stepSeconds: FINEST_STEP_SECONDS },
  "6h": { seconds: 6 * HOUR, stepSeconds: MINUTE },
  "24h": { seconds: DAY, stepSeconds: 5 * MINUTE },
  "7d": { seconds: 7 * DAY, stepSeconds: HOUR },
  "30d": { seconds: 30 * DAY, stepSeconds: 6 * HOUR }
} as const

export type MetricsRange = keyof typeof RESOLUTIONS
