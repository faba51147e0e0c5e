/** The load of the customers over time, drawn for a whole run. */
import type { SeededRandom } from "./SeededRandom.ts"
import { CUSTOMERS } from "./InitialState.ts"

/** Pauses between two acts of a customer, within a burst and between bursts; drawn for each run. */
export interface LoadProfile {
  readonly shortMillis: number
  readonly longMillis: number
  /** Share of pauses that are long. */
  readonly pauses: number
}

const HOUR = 3_600_000

/** The number of acts in a run; it grows more slowly than the run's duration. */
const actsIn = (hours: number): number => 25 * Math.sqrt(hours)

/** Customers act in bursts: what is done at once meets, what is done months later meets what time has made of it. */
export const loadProfileOf = (random: SeededRandom, hours: number): LoadProfile => {
  const burst = random.pick([3, 10, 30])
  const meanMillis = CUSTOMERS * hours * HOUR / actsIn(hours)
  return { shortMillis: random.pick([200, 2_000, 20_000]), longMillis: 2 * meanMillis * burst, pauses: 1 / burst }
}
