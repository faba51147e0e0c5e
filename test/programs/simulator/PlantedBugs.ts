/** Looks for planted bugs: how the simulator shows that it would find real ones. */
import type { Mutant } from "./Mutants.ts"
import { Failed } from "./Report.ts"
import { simulate } from "./Simulation.ts"

export interface Found {
  /** The first seed that shows it. */
  readonly seed: number
  readonly invariant: string
}

/**
 * Tries seeds from 1 on; undefined when none of them shows it. A bug that has an invariant of its own may break others
 * first: those seeds do not count.
 */
export const find = ({ invariant = /./, plant }: Mutant, seeds: number, hours: number): Found | undefined => {
  for (let seed = 1; seed <= seeds; seed++) {
    try {
      simulate({ seed, hours, plant })
    } catch (cause) {
      if (!(cause instanceof Failed)) throw cause
      if (invariant.test(cause.invariant)) return { seed, invariant: cause.invariant }
    }
  }
  return undefined
}
