/** The options of a run, its report, and its failure. */
import type * as App from "#service/App"
import type { Violation } from "./ReferenceModel.ts"
import type { VirtualScheduler } from "./VirtualScheduler.ts"

export interface Options {
  readonly seed: number
  /** Duration of the customers' load, in virtual hours. */
  readonly hours: number
  /** Puts something broken in the place of something sound: how the simulator itself is tested. */
  readonly plant?: ((ports: App.ExternalPorts) => App.ExternalPorts) | undefined
  /** Receives every event. */
  readonly onEvent?: ((line: string) => void) | undefined
}

export interface Report {
  readonly seed: number
  /** The same for the same seed and the same service. */
  readonly trace: string
  readonly steps: number
  readonly hours: number
  readonly answers: number
  readonly looks: number
  readonly orders: number
  readonly killed: number
  readonly stopped: number
  readonly stalled: number
  /** Times that the whole service was off for days. */
  readonly outages: number
  /** Times that the service was set back to an older state. */
  readonly restored: number
  /** Restarts of hosts. */
  readonly rebooted: number
  /** Jumps of the clock. */
  readonly jumped: number
}

/** A run that found something, with all that is needed to look at it. */
export class Failed extends Error {
  readonly invariant: string
  constructor({ hours, seed }: Options, scheduler: VirtualScheduler, violation: Violation) {
    super([
      `seed ${seed} broke "${violation.invariant}" in step ${scheduler.steps}: ${violation.detail}`,
      "the last events:",
      ...scheduler.trace.last.map((line) => `  ${line}`),
      `again: npm run simulate -- --seed ${seed} --hours ${hours}`
    ].join("\n"))
    this.invariant = violation.invariant
  }
}
