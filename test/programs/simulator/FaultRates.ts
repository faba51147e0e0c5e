/** Fault rates, drawn from the seed for a whole run, so that each run has a different mix of faults. */
import type { SeededRandom } from "./SeededRandom.ts"

/** Shares of calls that a fault strikes, from 0 to 1. */
export interface FaultRates {
  readonly driver: {
    readonly busy: number
    readonly unavailable: number
    readonly rejected: number
    readonly lostAnswer: number
    readonly duplicated: number
    readonly slow: number
  }
  readonly database: {
    /** BEGIN finds it locked. */
    readonly busy: number
    /** COMMIT fails, and nothing is written. */
    readonly commit: number
    /** A statement in the middle of a transaction fails. */
    readonly statement: number
  }
  readonly network: {
    readonly lostRequest: number
    readonly lostAnswer: number
    readonly duplicated: number
    readonly slow: number
  }
  /** Mean steps between two of them, so that they come while something is running; Infinity for never. */
  readonly process: { readonly killed: number; readonly stopped: number; readonly stalled: number }
}

export const CALM: FaultRates = {
  driver: { busy: 0, unavailable: 0, rejected: 0, lostAnswer: 0, duplicated: 0, slow: 0 },
  database: { busy: 0, commit: 0, statement: 0 },
  network: { lostRequest: 0, lostAnswer: 0, duplicated: 0, slow: 0 },
  process: { killed: Number.POSITIVE_INFINITY, stopped: Number.POSITIVE_INFINITY, stalled: Number.POSITIVE_INFINITY }
}

/** A kind of fault is absent, seldom or frequent: a run with all of them frequent gets nowhere. */
const share = (random: SeededRandom, most: number): number => random.pick([0, most / 4, most])

const gap = (random: SeededRandom): number => random.pick([Number.POSITIVE_INFINITY, 3_000, 600, 150])

export const drawRates = (random: SeededRandom): FaultRates => ({
  driver: {
    busy: share(random, 0.3),
    unavailable: share(random, 0.3),
    rejected: share(random, 0.3),
    lostAnswer: share(random, 0.35),
    duplicated: share(random, 0.3),
    slow: share(random, 0.2)
  },
  database: { busy: share(random, 0.1), commit: share(random, 0.15), statement: share(random, 0.01) },
  network: {
    lostRequest: share(random, 0.15),
    lostAnswer: share(random, 0.25),
    duplicated: share(random, 0.25),
    slow: share(random, 0.2)
  },
  process: { killed: gap(random), stopped: gap(random), stalled: random.pick([Number.POSITIVE_INFINITY, 600, 150]) }
})
