/** Decides if the time of the service is in doubt. Money is charged, and instances end, only while it is not. */
import { toTimestamp } from "./Timestamp.ts"

export interface Doubt {
  /** The time of the service when it began, in epoch milliseconds. */
  readonly since: number
  readonly reason: string
}

/** The clock's state as it is stored; all processes on a database share it. */
export interface ClockState {
  /** The newest time of the service, in epoch milliseconds; 0 before the first. */
  readonly newest: number
  /** Null while the time is trusted. */
  readonly doubt: Doubt | null
  /** The source's lead over the service's time while that is in doubt, in milliseconds. */
  readonly sourceAhead: number
  /** The number of times that an operator has confirmed the time. */
  readonly confirmations: number
}

const UNITS = [["days", 86_400_000], ["hours", 3_600_000], ["minutes", 60_000], ["seconds", 1_000]] as const

/** A duration in its largest unit, like "3.5 days". */
export const inWords = (millis: number): string => {
  const [unit, length] = UNITS.find(([, length]) => millis >= length) ?? UNITS[UNITS.length - 1]!
  return `${Math.round(10 * millis / length) / 10} ${unit}`
}

/** The reason for a difference between the source and the time that has passed; positive is ahead. */
export const jump = (difference: number): string =>
  `The clock jumped ${inWords(Math.abs(difference))} ${difference > 0 ? "ahead" : "back"}.`

/** The time and the trust with which a process starts. */
export interface Start {
  readonly time: number
  readonly doubt: Doubt | null
}

/** The accepted distance of the source from the newest stored time, in milliseconds. */
export interface Tolerance {
  readonly aheadMillis: number
  readonly behindMillis: number
}

/**
 * Compares the source with the newest stored time. A source that is far ahead is used, because the service was probably
 * stopped for long; one that is behind is not, because the stored time has passed already.
 */
export const startAt = (stored: ClockState, source: number, { aheadMillis, behindMillis }: Tolerance): Start => {
  const { doubt, newest, sourceAhead } = stored
  if (newest === 0) return { time: source, doubt }
  if (doubt !== null) {
    // The clock may have been corrected since: the candidate that is closer to the newest time is right.
    const [time] = [source - sourceAhead, source].toSorted((a, b) => Math.abs(a - newest) - Math.abs(b - newest))
    return { time: Math.max(time!, newest), doubt }
  }
  const difference = source - newest
  const lastRun = `the service's last run (${toTimestamp(newest)})`
  if (difference < -behindMillis) {
    const reason = `At the start, the clock was ${inWords(-difference)} behind ${lastRun}.`
    return { time: newest, doubt: { since: newest, reason } }
  }
  if (difference > aheadMillis) {
    const reason = `At the start, the clock was ${inWords(difference)} ahead of ${lastRun}: `
      + "either the service was stopped for that long, or the clock is wrong."
    return { time: source, doubt: { since: source, reason } }
  }
  return { time: source, doubt: null }
}
