/** Seeds that have failed, kept for ever, with what each of them found. They are played with every test run. */
import type { PAST } from "./Mutants.ts"

export interface Kept {
  readonly seed: number
  readonly hours: number
  /** The bug: planted again, the seed fails again, or the seed would say nothing any more. */
  readonly found: keyof typeof PAST
}

export const KEPT: ReadonlyArray<Kept> = [
  { seed: 2, hours: 24, found: "a snapshot whose deletion was given up in doubt stays available" },
  { seed: 7, hours: 24, found: "a snapshot whose deletion was given up in doubt stays available" }
]
